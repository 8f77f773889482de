import { createReadStream, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'

/**
 * Power cuts: strace records what a program writes, renames, deletes and syncs below a directory, and
 * {@link Disk} rebuilds what a disk may have of it at a moment. That is what was synced; of the rest,
 * each sector may be there, or not, or half. Names of files are like their bytes: they survive once
 * their directory is synced, or by chance, in order.
 */
const CALLS = [
  ...['openat', 'open', 'creat', 'mkdir', 'mkdirat', 'close'],
  ...['write', 'writev', 'pwrite64', 'ftruncate', 'fsync', 'fdatasync'],
  ...['rename', 'renameat', 'renameat2', 'unlink', 'unlinkat'],
]
const SECTOR = 512
const SLOW_SYNC_MS = 200
/** Of no use after a restart: shared memory, sockets, and what is deleted at each start. */
const IGNORED = /-shm$|\.sock|\.duckdb\.tmp|\/lock\.db/

/** Whether a file matters after a restart. */
export const isKept = (file: string): boolean => !IGNORED.test(file)

/**
 * Commands before a program, which record it in a file. Its fdatasync(2), which never delays a visit,
 * is as slow as on a busy disk: so there is more that isn't synced.
 */
export function recording(file: string): string[] {
  const slow = `inject=fdatasync:delay_enter=${SLOW_SYNC_MS * 1_000}`
  const what = ['-e', `trace=${CALLS}`, '-e', slow, '-e', 'signal=none', '-s', '1048576']
  return ['strace', '-D', '-f', '-q', '-y', '-xx', '-ttt', ...what, '-o', file]
}

type Change = { at: number; bytes: Buffer } | { size: number }

/** A file's bytes: what is synced, and what was written since. */
class Content {
  synced = Buffer.alloc(0)
  length = 0
  size = 0
  readonly changes: Change[] = []

  constructor(bytes: Uint8Array = Buffer.alloc(0)) {
    this.synced = Buffer.from(bytes)
    this.length = this.size = bytes.length
  }

  write(at: number, bytes: Buffer): void {
    this.changes.push({ at, bytes })
    this.size = Math.max(this.size, at + bytes.length)
  }

  truncate(size: number): void {
    this.changes.push({ size })
    this.size = size
  }

  /** The first `count` changes are on the disk. */
  sync(count: number): void {
    for (const change of this.changes.splice(0, count)) this.#apply(change)
  }

  #apply(change: Change): void {
    if ('size' in change) {
      this.#grow(change.size)
      this.synced.fill(0, change.size)
      this.length = change.size
      return
    }
    this.#grow(change.at + change.bytes.length)
    change.bytes.copy(this.synced, change.at)
    this.length = Math.max(this.length, change.at + change.bytes.length)
  }

  #grow(size: number): void {
    if (size <= this.synced.length) return
    const grown = Buffer.alloc(size * 2)
    this.synced.copy(grown)
    this.synced = grown
  }

  get syncedBytes(): Buffer {
    return this.synced.subarray(0, this.length)
  }

  /** With all changes, as the program reads it. */
  get current(): Buffer {
    const all = new Content(this.syncedBytes)
    for (const change of this.changes) all.#apply(change)
    return all.syncedBytes
  }

  /** What may be left of it: the first changes, or any sectors. */
  survive(random: () => number): Buffer {
    const left = new Content(this.syncedBytes)
    const until = Math.floor(random() * (this.changes.length + 1))
    const isOrdered = random() < 0.3
    for (const [no, change] of this.changes.entries()) {
      if ('size' in change) {
        if (isOrdered ? no < until : random() < 0.5) left.#apply(change)
        continue
      }
      const { at, bytes } = change
      left.#grow(at + bytes.length)
      // The size may be there before the bytes.
      if (random() < 0.5) left.length = Math.max(left.length, at + bytes.length)
      for (let from = 0; from < bytes.length; ) {
        const next = Math.min(bytes.length, from + SECTOR - ((at + from) % SECTOR))
        const fate = isOrdered ? Number(no < until) : random() * 1.5
        // Nothing, half, or all.
        const to = fate >= 0.6 ? next : fate >= 0.4 ? (from + next) >> 1 : from
        if (to > from) left.#apply({ at: at + from, bytes: bytes.subarray(from, to) })
        from = next
      }
    }
    return Buffer.from(left.syncedBytes)
  }
}

type Naming = { directory: string; apply(names: Map<string, Content>): void }

/** A disk with one directory, as a program changes it. */
export class Disk {
  readonly #root: string
  readonly #unsynced: RegExp | undefined
  readonly #names = new Map<string, Content>()
  readonly #syncedNames: Map<string, Content>
  readonly #namings: Naming[] = []
  /** All files that there ever were. */
  readonly contents = new Map<Content, string>()
  /** When the last sync of a file that has ended began, in the time of {@link Disk.follow}. */
  readonly syncedAt = new Map<string, number>()

  /** @param unsynced leaves out the syncs of files with such names, as if the program had none */
  constructor(root: string, files: readonly { file: string; bytes: Buffer }[], unsynced?: RegExp) {
    this.#root = root
    this.#unsynced = unsynced
    for (const { file, bytes } of files) {
      if (isKept(file)) this.#create(file, new Content(bytes))
    }
    this.#syncedNames = new Map(this.#names)
  }

  #create(file: string, content: Content): void {
    this.#names.set(file, content)
    this.contents.set(content, file)
  }

  #name(file: string, apply: Naming['apply']): void {
    apply(this.#names)
    this.#namings.push({ directory: dirname(file), apply })
  }

  /** @returns what a sync makes durable when it has ended */
  #startSync(path: string, at: number): (() => void) | undefined {
    const content = this.#names.get(path)
    if (content !== undefined) {
      const count = this.#unsynced?.test(path) ? 0 : content.changes.length
      return () => {
        this.syncedAt.set(path, Math.max(at, this.syncedAt.get(path) ?? 0))
        content.sync(count)
      }
    }
    const { length } = this.#namings
    return () => {
      const rest = this.#namings.slice(length)
      for (const naming of this.#namings.splice(0).slice(0, length)) {
        if (naming.directory === path) naming.apply(this.#syncedNames)
        else rest.push(naming)
      }
      this.#namings.push(...rest)
    }
  }

  /**
   * Follows one call, begun at a time. Returns what remains to be done when it has ended well: SQLite
   * also writes to files that are open for reading only, and takes the failure.
   */
  follow(name: string, text: string, at: number): (() => void) | undefined {
    const path = /^\d+<((?:\\x..)+)>/.exec(text)?.[1]
    const paths = [...text.matchAll(/"((?:\\x..)*)"/g)].map(([, hex = '']) => bytesOf(hex))
    const file = path === undefined ? '' : bytesOf(path).toString()
    const [from = '', to = ''] = paths.map(String)
    const isOurs = (one: string) => one.startsWith(this.#root) && isKept(one)
    switch (name) {
      case 'openat':
      case 'open':
      case 'creat': {
        if (!isOurs(from) || !/O_CREAT|O_TRUNC/.test(text)) return undefined
        return () => {
          const known = this.#names.get(from)
          if (known !== undefined) {
            if (text.includes('O_TRUNC')) known.truncate(0)
            return
          }
          const content = new Content()
          this.contents.set(content, from)
          this.#name(from, (names) => void names.set(from, content))
        }
      }
      case 'write':
      case 'writev': {
        const content = this.#names.get(file)
        if (content === undefined) return undefined
        return () => content.write(content.size, Buffer.concat(paths))
      }
      case 'pwrite64': {
        const place = Number(/, \d+, (\d+)/.exec(text.slice(text.lastIndexOf('"')))?.[1])
        const content = this.#names.get(file)
        return () => content?.write(place, paths[0] ?? Buffer.alloc(0))
      }
      case 'ftruncate': {
        const content = this.#names.get(file)
        return () => content?.truncate(Number(/, (\d+)/.exec(text)?.[1]))
      }
      case 'fsync':
      case 'fdatasync':
        return isOurs(file) || file === this.#root ? this.#startSync(file, at) : undefined
      case 'rename':
      case 'renameat':
      case 'renameat2': {
        const content = this.#names.get(from)
        if (content === undefined) return undefined
        this.#name(to, (names) => {
          names.delete(from)
          names.set(to, content)
        })
        return undefined
      }
      case 'unlink':
      case 'unlinkat':
        if (this.#names.has(from)) this.#name(from, (names) => void names.delete(from))
        return undefined
      default:
        return undefined
    }
  }

  /** The files as the program sees them. */
  *files(): Iterable<{ file: string; bytes: Buffer }> {
    for (const [file, content] of this.#names) yield { file, bytes: content.current }
  }

  /**
   * Writes what may be left after a power cut to another directory. Every other disk has lost all that
   * wasn't synced.
   */
  writeTo(directory: string, random: () => number): void {
    const losesAll = random() < 0.5
    const names = new Map(this.#syncedNames)
    const until = losesAll ? 0 : Math.floor(random() * (this.#namings.length + 1))
    for (const { apply } of this.#namings.slice(0, until)) apply(names)
    for (const [file, content] of names) {
      const to = join(directory, file.slice(this.#root.length))
      mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
      const bytes = losesAll ? content.syncedBytes : content.survive(random)
      writeFileSync(to, bytes, { mode: 0o600 })
    }
  }
}

const bytesOf = (hex: string) => Buffer.from(hex.replaceAll('\\x', ''), 'hex')

/** What a recording has. */
export interface Survey {
  /** The time of each call, in milliseconds. */
  times: number[]
  /**
   * Which calls, from 1 on, end a sync of a file whose name ends so: what was written before is then
   * safe, and what it was made of may not be.
   */
  syncs: number[]
}

export async function surveyOf(file: string, nameEnd: string): Promise<Survey> {
  const name = `${[...nameEnd].map((c) => `\\x${c.charCodeAt(0).toString(16)}`).join('')}>`
  const times: number[] = []
  const syncs: number[] = []
  const begun = new Set<string | undefined>()
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const [, pid, seconds, call] = /^(\d+) +(\S+) (?:<\.\.\. )?(\w+)/.exec(line) ?? []
    times.push(Number(seconds) * 1_000)
    if (call !== 'fsync' && call !== 'fdatasync') continue
    if (line.includes(name)) begun.add(pid)
    if (!line.endsWith('<unfinished ...>') && begun.delete(pid)) syncs.push(times.length)
  }
  return { times, syncs }
}

/** The calls of a recording, in order, with their time in milliseconds: `step` follows one. */
export async function* replay(file: string, disk: Disk): AsyncGenerator<number, undefined> {
  const open = new Map<string, (() => void) | undefined>()
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const [, pid = '', seconds = '', rest = ''] = /^(\d+) +(\d+\.\d+) (.*)$/.exec(line) ?? []
    const at = Number(seconds) * 1_000
    if (rest.startsWith('<... ')) {
      if (!/= -1 /.test(rest)) open.get(pid)?.()
      open.delete(pid)
    } else {
      const [, name = '', text = ''] = /^(\w+)\((.*)$/.exec(rest) ?? []
      const finish = /\) += -1 /.test(text) ? undefined : disk.follow(name, text, at)
      if (text.endsWith('<unfinished ...>')) open.set(pid, finish)
      else finish?.()
    }
    yield at
  }
  return undefined
}
