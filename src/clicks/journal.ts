import { mkdirSync } from 'node:fs'
import type { Logger } from '../base/logger.ts'
import { cutTornTail, type JournalIo, systemIo } from './journal-io.ts'
import { listSegments, type Position, segmentFile, segmentSize } from './segments.ts'

/** How a journal behaves; sizes in bytes. */
export interface JournalOptions {
  directory: string
  /** No segment up to this one is written again, even if its file is gone. */
  after?: number
  logger?: Pick<Logger, 'error' | 'info'>
  segmentBytes?: number
  /** What is kept in memory, at most, while the disk refuses. */
  bufferBytes?: number
  retryMs?: number
  /** What had waited in memory is written. */
  recovered?: () => void
  io?: JournalIo
}

/**
 * The record of clicks: append-only segments. What {@link Journal.append} has written survives the
 * process's death, because it lies with the operating system; a sync off the thread every 100 ms
 * bounds what a power cut can take.
 */
export interface Journal {
  /**
   * Writes complete lines (ASCII) in one call. Never throws: while the disk refuses, lines wait in
   * memory; beyond the buffer's bound the oldest are dropped and counted as lost.
   */
  append(lines: string, records: number): void
  /** False while lines wait in memory, or the last sync failed. */
  readonly healthy: boolean
  /** Clicks dropped since the start. */
  readonly lost: number
  /** Where the next byte goes. */
  readonly position: Position
  /** Lines that are only in memory. */
  waiting(): string
  /** Bytes on the disk behind `from`, those of later segments included. */
  bytesAfter(from: Position): number
  /** Resolves when all that was written is on the disk; rejects when the sync fails. */
  sync(): Promise<void>
  /** Writes and syncs what is left. */
  close(): Promise<void>
}

interface Chunk {
  text: string
  records: number
}

interface Segment {
  no: number
  descriptor: number
  size: number
}

const SYNC_EVERY_MS = 100

/** Opens the journal for writing, in a segment of its own. One process at a time. */
export function openJournal(options: JournalOptions): Journal {
  const { directory, logger, io = systemIo } = options
  const segmentBytes = options.segmentBytes ?? 16_777_216
  const bufferBytes = options.bufferBytes ?? 16_777_216
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const existing = listSegments(directory)
  const newest = existing.at(-1)
  if (newest !== undefined) cutTornTail(segmentFile(directory, newest))

  // A new segment for each process: whatever state a power cut left the last one in, nothing is
  // ever written behind it, and a reader may skip what it can't read there.
  let nextNo = Math.max(newest ?? 0, options.after ?? 0) + 1
  let current: Segment | undefined
  const retired: Segment[] = []
  let chunks: Chunk[] = []
  let chunkBytes = 0
  /** How much of the first chunk is written already. */
  let written = 0
  let lost = 0
  let writing = true
  let synced = true
  let unsynced = false
  let syncing: Promise<void> | undefined
  let syncTimer: Timer | undefined
  let retryTimer: Timer | undefined

  function segment(): Segment {
    if (current !== undefined && current.size >= segmentBytes && written === 0) retire()
    if (current === undefined) {
      const descriptor = io.open(segmentFile(directory, nextNo))
      current = { no: nextNo++, descriptor, size: 0 }
    }
    return current
  }

  function retire(): void {
    if (current !== undefined) retired.push(current)
    current = undefined
  }

  function drain(): void {
    let target: Segment | undefined
    try {
      for (let chunk = chunks[0]; chunk !== undefined; chunk = chunks[0]) {
        target = segment()
        const rest = written === 0 ? chunk.text : chunk.text.slice(written)
        advance(target, io.write(target.descriptor, rest), chunk)
      }
      const recovered = !writing
      writing = true
      if (!recovered) return
      logger?.info({ lost }, 'The journal is written again')
      options.recovered?.()
    } catch (error) {
      if (writing) logger?.error({ err: error }, 'The journal can not be written')
      writing = false
      if (target !== undefined) recover(target, error)
      retryTimer ??= setTimeout(retry, options.retryMs ?? 250)
    }
  }

  function advance(target: Segment, bytes: number, chunk: Chunk): void {
    if (bytes > 0) wakeSync()
    target.size += bytes
    written += bytes
    if (written < chunk.text.length) return
    chunks.shift()
    chunkBytes -= chunk.text.length
    written = 0
  }

  /**
   * A failed write may still have written something: the file's size says how much. A full disk
   * is waited for; any other fault is the file's own, so the torn line begins again in a new one
   * (the reader of the old one skips it, for it has no end).
   */
  function recover(target: Segment, error: unknown): void {
    const chunk = chunks[0]
    if (chunk === undefined) return
    try {
      const extra = io.size(target.descriptor) - target.size
      if (extra > 0) advance(target, Math.min(extra, chunk.text.length - written), chunk)
    } catch {
      // The descriptor is of no use any more: what was counted as written stays so.
    }
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOSPC' || code === 'EDQUOT') return
    if (written > 0) written = chunk.text.lastIndexOf('\n', written - 1) + 1
    // The lines before it are written; a new segment starts at a line.
    chunk.text = chunk.text.slice(written)
    chunkBytes -= written
    written = 0
    retire()
  }

  function retry(): void {
    retryTimer = undefined
    if (chunks.length > 0) drain()
  }

  function keep(lines: string, records: number): void {
    chunks.push({ text: lines, records })
    chunkBytes += lines.length
    while (chunkBytes > bufferBytes && chunks.length > 1) {
      const oldest = chunks.splice(written > 0 ? 1 : 0, 1)[0] as Chunk
      chunkBytes -= oldest.text.length
      lost += oldest.records
    }
  }

  function wakeSync(): void {
    unsynced = true
    syncTimer ??= setTimeout(() => {
      syncTimer = undefined
      sync().catch(() => {})
    }, SYNC_EVERY_MS).unref()
  }

  async function syncNow(): Promise<void> {
    unsynced = false
    const closing = retired.splice(0)
    try {
      for (const { descriptor } of current === undefined ? closing : [...closing, current]) {
        await new Promise<void>((resolve, reject) =>
          io.sync(descriptor, (error) => (error === null ? resolve() : reject(error))),
        )
      }
      synced = true
    } catch (error) {
      if (synced) logger?.error({ err: error }, 'The journal can not be synced')
      synced = false
      wakeSync()
      throw error
    } finally {
      for (const { descriptor } of closing) io.close(descriptor)
    }
  }

  async function sync(): Promise<void> {
    // Whoever comes while one runs needs the next: theirs may have been written meanwhile.
    while (syncing !== undefined) await syncing.catch(() => {})
    if (!unsynced && retired.length === 0) return
    syncing = syncNow()
    try {
      await syncing
    } finally {
      syncing = undefined
    }
  }

  return {
    append(lines, records) {
      keep(lines, records)
      if (writing) drain()
    },
    get healthy() {
      return writing && synced
    },
    get lost() {
      return lost
    },
    get position() {
      return { segment: current?.no ?? nextNo, offset: current?.size ?? 0 }
    },
    waiting() {
      const text = chunks.map((chunk) => chunk.text).join('')
      return written === 0 ? text : text.slice(text.lastIndexOf('\n', written - 1) + 1)
    },
    bytesAfter(from) {
      let bytes = 0
      for (const no of listSegments(directory)) {
        if (no < from.segment) continue
        const size = segmentSize(directory, no)
        bytes += no === from.segment ? Math.max(0, size - from.offset) : size
      }
      return bytes
    },
    sync,
    async close() {
      clearTimeout(retryTimer)
      if (chunks.length > 0) drain()
      clearTimeout(retryTimer)
      for (const chunk of chunks) lost += chunk.records
      chunks = []
      try {
        await sync()
      } finally {
        clearTimeout(syncTimer)
        if (current !== undefined) io.close(current.descriptor)
        current = undefined
      }
    },
  }
}
