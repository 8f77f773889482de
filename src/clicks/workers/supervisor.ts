import type { Subprocess } from 'bun'
import type { Clock } from '../../lib/base/clock.ts'
import type { Logger } from '../../lib/base/logger.ts'
import type { Journal, Position } from '../index.ts'
import type { FromWorker, Progress, ToWorker } from './messages.ts'

/** The state of a worker. */
export interface WorkerState {
  running: boolean
  watermark: Position
  /** Bytes of the journal that aren't processed yet. */
  backlogBytes: number
  /** How far the worker is behind; 0 if nothing is pending. */
  backlogSeconds: number
  /** How often it died. */
  restarts: number
  /** Damaged journal lines that the running worker has read. */
  skipped: number
  /** Resident memory of the running worker, as last reported; 0: not running. */
  memoryBytes: number
}

/** Dependencies of {@link Supervisor}. `R`: see `messages.ts`. */
export interface SupervisorOptions<R> {
  /** Its name in the log. */
  name: string
  command: readonly string[]
  journal: Pick<Journal, 'bytesAfter'>
  /** The worker's position before this start; { 0, 0 } if only the worker knows. */
  watermark: Position
  clock: Clock
  logger?: Pick<Logger, 'info' | 'warn'> | undefined
  /** The worker answers requests at this socket. */
  ready?(socket: string): void
  /** The worker has finished a pass. */
  reported?(report: R): void
  /** The worker's watermark has moved. */
  advanced?(): void
  /** The worker has ended or died. */
  ended?(): void
}

const WAKE_EVERY_MS = 100
const BACK_OFF_MS = { first: 100, most: 30_000 }
/** After this long without dying the back-off is reset. */
const STABLE_MS = 60_000

/**
 * Keeps a worker running while there is work. Starts it only when notified, or if an earlier
 * process has left a backlog. `N`, `R`: see `messages.ts`.
 */
export class Supervisor<N = never, R = null> {
  readonly #options: SupervisorOptions<R>
  #watermark: Position
  #skipped = 0
  #memoryBytes = 0
  #restarts = 0
  #backOffMs = BACK_OFF_MS.first
  #child: Subprocess | undefined
  #startedAt = 0
  #wokenAt = 0
  #wakeTimer: Timer | undefined
  #startTimer: Timer | undefined
  /** Notified, but not passed on yet. */
  #isWanted = false
  /** Passed on, but not confirmed by a pass yet. */
  #isOwed = false
  #isStopping = false
  /** The arrival of the oldest unprocessed click, or a little earlier; 0: none. */
  #behindSince = 0

  constructor(options: SupervisorOptions<R>) {
    this.#options = options
    this.#watermark = options.watermark
    if (this.#backlogBytes > 0) this.wake()
  }

  get #backlogBytes(): number {
    return this.#options.journal.bytesAfter(this.#watermark)
  }

  // Properties instead of methods, because they are passed as functions.
  /** The journal may have new clicks: starts or notifies the worker. Cheap; call it often. */
  readonly wake = (): void => {
    const now = this.#options.clock.now()
    // Also if a wake-up is pending: the worker may have processed that one's clicks already.
    if (this.#behindSince === 0) this.#behindSince = now
    if (this.#isWanted) return
    this.#isWanted = true
    const wait = Math.min(WAKE_EVERY_MS, Math.max(0, this.#wokenAt + WAKE_EVERY_MS - now))
    this.#wakeTimer ??= setTimeout(() => this.#wakeNow(), wait).unref()
  }

  /** Starts the worker if it doesn't run. */
  readonly start = (): void => {
    if (!this.#isStopping && this.#startTimer === undefined && this.#child === undefined) {
      this.#spawn()
    }
  }

  /** Sends a notice to the worker, starting it if necessary. An ending worker may miss it. */
  readonly notify = (notice: N): void => {
    this.start()
    this.#send({ kind: 'notice', notice })
  }

  readonly state = (): WorkerState => {
    const backlogBytes = this.#backlogBytes
    const behindMs =
      backlogBytes === 0 ? 0 : Math.max(0, this.#options.clock.now() - this.#behindSince)
    return {
      running: this.#child !== undefined,
      watermark: this.#watermark,
      backlogBytes,
      backlogSeconds: behindMs / 1_000,
      restarts: this.#restarts,
      skipped: this.#skipped,
      memoryBytes: this.#memoryBytes,
    }
  }

  /** Lets the worker reach the journal's end; after `graceMs` milliseconds it is killed. */
  readonly stop = async (graceMs = 3_000): Promise<void> => {
    this.#isStopping = true
    clearTimeout(this.#wakeTimer)
    clearTimeout(this.#startTimer)
    const last = this.#child
    if (last === undefined) return
    this.#send({ kind: 'finish' })
    const killed = Promise.withResolvers<void>()
    const timer = setTimeout(() => {
      last.kill('SIGKILL')
      // Not awaited: on a busy machine the process may take time to end.
      killed.resolve()
    }, graceMs)
    await Promise.race([last.exited, killed.promise])
    clearTimeout(timer)
    this.#child = undefined
  }

  #wakeNow(): void {
    this.#wakeTimer = undefined
    this.#wokenAt = this.#options.clock.now()
    this.#isWanted = false
    this.#isOwed = true
    // A worker about to be started begins with a pass.
    if (this.#isStopping || this.#startTimer !== undefined) return
    this.start()
    this.#send({ kind: 'wake' })
  }

  #spawn(): void {
    this.#startedAt = this.#options.clock.now()
    try {
      this.#child = Bun.spawn({
        cmd: [...this.#options.command],
        stdio: ['ignore', 'inherit', 'inherit'],
        serialization: 'json',
        ipc: (message) => this.#receive(message as FromWorker<R>),
        onExit: (child, code, signal) => this.#exited(child, code, signal),
      })
    } catch (error) {
      this.#options.logger?.warn({ err: error }, `The ${this.#options.name} does not start`)
      this.#startLater()
    }
  }

  #send(message: ToWorker<N>): void {
    try {
      this.#child?.send(message)
    } catch {
      // It is ending. The next one continues from its watermark.
    }
  }

  #receive(message: FromWorker<R>): void {
    if (message.kind === 'ready') {
      this.#options.ready?.(message.socket)
      return
    }
    this.#memoryBytes = message.memoryBytes
    this.#options.reported?.(message.report)
    if (message.progress !== null) this.#advance(message.progress)
  }

  #advance({ watermark, upTo, skipped }: Progress): void {
    this.#isOwed = false
    this.#watermark = watermark
    this.#skipped = skipped
    this.#behindSince = this.#backlogBytes === 0 ? 0 : Math.max(this.#behindSince, upTo)
    this.#options.advanced?.()
  }

  #exited(child: Subprocess, code: number | null, signal: unknown): void {
    if (child !== this.#child) return
    this.#child = undefined
    this.#memoryBytes = 0
    this.#options.ended?.()
    if (this.#isStopping) return
    if (code === 0) {
      // A wake-up may have arrived too late.
      if (this.#isWanted || this.#isOwed || this.#backlogBytes > 0) this.#spawn()
      return
    }
    this.#options.logger?.warn({ code, signal }, `The ${this.#options.name} died`)
    this.#startLater()
  }

  #startLater(): void {
    this.#restarts++
    const { clock } = this.#options
    if (clock.now() - this.#startedAt > STABLE_MS) this.#backOffMs = BACK_OFF_MS.first
    this.#startTimer = setTimeout(() => {
      this.#startTimer = undefined
      this.#spawn()
    }, this.#backOffMs)
    this.#backOffMs = Math.min(this.#backOffMs * 2, BACK_OFF_MS.most)
  }
}
