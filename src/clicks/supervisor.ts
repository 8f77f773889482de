import type { Subprocess } from 'bun'
import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { Journal } from './journal.ts'
import type { FromWorker, ToWorker } from './messages.ts'
import type { Position } from './segments.ts'

/** What is known of the click worker. */
export interface WorkerState {
  running: boolean
  watermark: Position
  /** Of the journal, not counted yet. */
  backlogBytes: number
  /** How far the counters are behind; 0 when nothing waits. */
  backlogSeconds: number
  /** How often it died. */
  restarts: number
  /** Damaged journal lines that the running worker has met. */
  skipped: number
}

/** Keeps the click worker running while there is something to count. */
export interface Supervisor {
  /** Something may be there to count: starts the worker or wakes it. Cheap, call it often. */
  poke(): void
  /** A link was deleted: its counters can go. */
  linkGone(seq: number): void
  state(): WorkerState
  /** Lets the worker reach the journal's end; after `graceMs` it is ended. */
  stop(graceMs?: number): Promise<void>
}

/** What the supervisor works with. */
export interface SupervisorOptions {
  /** The worker's command line. */
  command: readonly string[]
  journal: Pick<Journal, 'bytesAfter'>
  /** Up to where the journal was counted before this start. */
  watermark: Position
  clock: Clock
  logger?: Pick<Logger, 'info' | 'warn'>
}

const POKE_EVERY_MS = 100
const BACK_OFF_MS = { first: 100, most: 30_000 }
/** Whoever ran for this long has recovered. */
const STABLE_MS = 60_000
const GONE_AT_ONCE = 10_000

/** Starts nothing until there is a poke, or a backlog from before. */
export function createSupervisor(options: SupervisorOptions): Supervisor {
  const { command, journal, clock, logger } = options
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
  const gone: number[] = []
  /** When the oldest click that isn't counted came, or a little earlier; 0: none waits. */
  let behindSince = 0

  function start(): void {
    startedAt = clock.now()
    try {
      child = Bun.spawn({
        cmd: [...command],
        stdio: ['ignore', 'inherit', 'inherit'],
        serialization: 'json',
        ipc: (message) => heard(message as FromWorker),
        onExit: (process, code, signal) => ended(process, code, signal),
      })
    } catch (error) {
      logger?.warn({ err: error }, 'The click worker does not start')
      startLater()
    }
  }

  function heard(message: FromWorker): void {
    owed = false
    watermark = message.watermark
    skipped = message.skipped
    if (journal.bytesAfter(watermark) === 0) behindSince = 0
    else behindSince = Math.max(behindSince, message.countedUpTo)
  }

  function ended(process: Subprocess, code: number | null, signal: unknown): void {
    if (process !== child) return
    child = undefined
    if (stopping) return
    if (code === 0) {
      // A poke may have met it on its way out.
      if (wanted || owed || gone.length > 0 || journal.bytesAfter(watermark) > 0) start()
      return
    }
    logger?.warn({ code, signal }, 'The click worker died')
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

  function tell(message: ToWorker): void {
    try {
      child?.send(message)
    } catch {
      // It is on its way out: whoever comes next reads the journal from its watermark.
    }
  }

  function pokeNow(): void {
    pokeTimer = undefined
    pokedAt = clock.now()
    // A worker begins with a pass, so one that starts need not be told.
    wanted = false
    owed = true
    if (stopping || startTimer !== undefined) return
    if (child === undefined) start()
    if (gone.length === 0) tell({ kind: 'poke' })
    else tell({ kind: 'poke', gone: gone.splice(0, GONE_AT_ONCE) })
  }

  function poke(): void {
    if (wanted) return
    wanted = true
    const now = clock.now()
    if (behindSince === 0) behindSince = now
    const wait = Math.min(POKE_EVERY_MS, Math.max(0, pokedAt + POKE_EVERY_MS - now))
    pokeTimer ??= setTimeout(pokeNow, wait).unref()
  }

  if (journal.bytesAfter(watermark) > 0) poke()

  return {
    poke,
    linkGone(seq) {
      gone.push(seq)
      poke()
    },
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
      const timer = setTimeout(() => last.kill('SIGKILL'), graceMs)
      await last.exited
      clearTimeout(timer)
      child = undefined
    },
  }
}
