import type { Subprocess } from 'bun'
import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { Journal } from './journal.ts'
import type { Position } from './segments.ts'

/** How far a process that reads the journal has come. */
export interface Progress {
  watermark: Position
  /** Time of the newest click that it has done; 0: none yet. */
  upTo: number
  /** Damaged lines met since its start. */
  skipped: number
}

/** What is known of a process that reads the journal. */
export interface ChildState {
  running: boolean
  watermark: Position
  /** Of the journal, not done yet. */
  backlogBytes: number
  /** How far it is behind; 0 when nothing waits. */
  backlogSeconds: number
  /** How often it died. */
  restarts: number
  /** Damaged journal lines that the running process has met. */
  skipped: number
}

/** Keeps a process that reads the journal running while there is something to do. */
export interface Child {
  /** Something may be there to do: starts the process or wakes it. Cheap, call it often. */
  poke(): void
  /** Starts it if it doesn't run, even when nothing waits in the journal. */
  wake(): void
  /** Says something to it. False: it doesn't run. */
  tell(message: object): boolean
  state(): ChildState
  /** Lets it reach the journal's end; after `graceMs` it is ended. */
  stop(graceMs?: number): Promise<void>
}

/** What {@link createChild} works with. */
export interface ChildOptions {
  /** What the log calls it. */
  name: string
  /** Its command line. */
  command: readonly string[]
  journal: Pick<Journal, 'bytesAfter'>
  /** How far it had come before this start. */
  watermark: Position
  clock: Clock
  logger?: Pick<Logger, 'info' | 'warn'> | undefined
  /** Hears what it says; gives its progress when it tells that. */
  heard(message: unknown): Progress | null
  /** What it is told when there may be something to do. */
  poked?: () => object
  /** True: something is left to tell it. */
  pending?: () => boolean
  /** It has ended, or died. */
  ended?: () => void
}

const POKE_EVERY_MS = 100
const BACK_OFF_MS = { first: 100, most: 30_000 }
/** Whoever ran for this long has recovered. */
const STABLE_MS = 60_000

/** Starts nothing until there is a poke, or a backlog from before. */
export function createChild(options: ChildOptions): Child {
  const { name, command, journal, clock, logger } = options
  const pending = options.pending ?? (() => false)
  let { watermark } = options
  let skipped = 0
  let restarts = 0
  let backOffMs = BACK_OFF_MS.first
  let child: Subprocess | undefined
  let startedAt = 0
  let pokedAt = 0
  let pokeTimer: Timer | undefined
  let startTimer: Timer | undefined
  /** Asked for, and not yet passed on. */
  let wanted = false
  /** Passed on, and not yet answered by a pass. */
  let owed = false
  let stopping = false
  /** When the oldest click that isn't done came, or a little earlier; 0: none waits. */
  let behindSince = 0

  function start(): void {
    startedAt = clock.now()
    try {
      child = Bun.spawn({
        cmd: [...command],
        stdio: ['ignore', 'inherit', 'inherit'],
        serialization: 'json',
        ipc: heard,
        onExit: (process, code, signal) => ended(process, code, signal),
      })
    } catch (error) {
      logger?.warn({ err: error }, `The ${name} does not start`)
      startLater()
    }
  }

  function heard(message: unknown): void {
    const progress = options.heard(message)
    if (progress === null) return
    owed = false
    watermark = progress.watermark
    skipped = progress.skipped
    if (journal.bytesAfter(watermark) === 0) behindSince = 0
    else behindSince = Math.max(behindSince, progress.upTo)
  }

  function ended(process: Subprocess, code: number | null, signal: unknown): void {
    if (process !== child) return
    child = undefined
    options.ended?.()
    if (stopping) return
    if (code === 0) {
      // A poke may have met it on its way out.
      if (wanted || owed || pending() || journal.bytesAfter(watermark) > 0) start()
      return
    }
    logger?.warn({ code, signal }, `The ${name} died`)
    startLater()
  }

  function startLater(): void {
    restarts++
    if (clock.now() - startedAt > STABLE_MS) backOffMs = BACK_OFF_MS.first
    startTimer = setTimeout(() => {
      startTimer = undefined
      start()
    }, backOffMs)
    backOffMs = Math.min(backOffMs * 2, BACK_OFF_MS.most)
  }

  function tell(message: object): boolean {
    if (child === undefined) return false
    try {
      child.send(message)
      return true
    } catch {
      // It is on its way out: whoever comes next reads the journal from its watermark.
      return false
    }
  }

  function wake(): void {
    if (!stopping && startTimer === undefined && child === undefined) start()
  }

  function pokeNow(): void {
    pokeTimer = undefined
    pokedAt = clock.now()
    // It begins with a pass, so one that starts need not be told.
    wanted = false
    owed = true
    if (stopping || startTimer !== undefined) return
    wake()
    tell(options.poked?.() ?? { kind: 'poke' })
  }

  function poke(): void {
    // Also where a poke waits: what that one was for may be done already.
    if (behindSince === 0) behindSince = clock.now()
    if (wanted) return
    wanted = true
    const now = clock.now()
    const wait = Math.min(POKE_EVERY_MS, Math.max(0, pokedAt + POKE_EVERY_MS - now))
    pokeTimer ??= setTimeout(pokeNow, wait).unref()
  }

  if (journal.bytesAfter(watermark) > 0) poke()

  return {
    poke,
    wake,
    tell,
    state() {
      const backlogBytes = journal.bytesAfter(watermark)
      const behindMs = backlogBytes === 0 ? 0 : Math.max(0, clock.now() - behindSince)
      return {
        running: child !== undefined,
        watermark,
        backlogBytes,
        backlogSeconds: behindMs / 1_000,
        restarts,
        skipped,
      }
    },
    async stop(graceMs = 3_000) {
      stopping = true
      clearTimeout(pokeTimer)
      clearTimeout(startTimer)
      const last = child
      if (last === undefined) return
      tell({ kind: 'finish' })
      const killed = Promise.withResolvers<void>()
      const timer = setTimeout(() => {
        last.kill('SIGKILL')
        // It does nothing any more. When it is gone, which takes time on a busy machine, is its own affair.
        killed.resolve()
      }, graceMs)
      await Promise.race([last.exited, killed.promise])
      clearTimeout(timer)
      child = undefined
    },
  }
}
