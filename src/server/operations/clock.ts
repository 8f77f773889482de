import type { Clock } from '../../lib/base/clock.ts'
import type { Logger } from '../../lib/base/logger.ts'
import { type CheckResult, degraded, type HealthCheck, OK } from './health.ts'

/** Smaller differences are ignored. */
const LIMIT_MS = 120_000
const LOOK_EVERY_MS = 10_000
/** How long a jump is reported. Then the new time counts as correct. */
const REPORT_MS = 3_600_000

/**
 * Whether the machine's clock can be correct: clicks and links are stored with its time. `jumped`:
 * it was set since the start; `behind`: it is before the last click; `differs`: the database has
 * another time. Only reported, because redirects don't need it.
 */
export function watchClock(options: {
  clock: Clock
  logger: Pick<Logger, 'info' | 'warn'>
  /** When the journal was last written before this start, in milliseconds since 1970; 0: never. */
  lastWrite: number
  /** The database's clock, if it has its own. @throws when it can't be read */
  databaseTime?: (() => Promise<number>) | undefined
  /** A clock that is never set. */
  monotonic?: () => number
  lookEveryMs?: number
}) {
  const { clock, logger, lastWrite, databaseTime, lookEveryMs = LOOK_EVERY_MS } = options
  const { monotonic = () => performance.now() } = options
  const offset = () => clock.now() - monotonic()
  let base = offset()
  let jumpedAt: number | undefined
  let differenceMs = 0
  let last = OK

  function jumpMs(): number {
    const jump = offset() - base
    if (Math.abs(jump) <= LIMIT_MS) jumpedAt = undefined
    else jumpedAt ??= monotonic()
    if (jumpedAt === undefined || monotonic() - jumpedAt < REPORT_MS) return jump
    base = offset()
    return 0
  }

  function look(): CheckResult {
    const jump = jumpMs()
    const behind = lastWrite - clock.now()
    let reason: string | undefined
    if (Math.abs(differenceMs) > LIMIT_MS) reason = 'differs'
    else if (Math.abs(jump) > LIMIT_MS) reason = 'jumped'
    else if (behind > LIMIT_MS) reason = 'behind'
    if (reason !== last.reason) {
      const seconds = (ms: number) => Math.round(ms / 1_000)
      const facts = { jump_s: seconds(jump), behind_s: seconds(Math.max(0, behind)) }
      if (reason === undefined) logger.info({}, 'The clock is right again')
      else logger.warn({ reason, ...facts, ahead_s: seconds(differenceMs) }, 'The clock is wrong')
    }
    last = reason === undefined ? OK : degraded(reason)
    return last
  }

  async function compare(): Promise<void> {
    if (databaseTime !== undefined) {
      const begin = clock.now()
      const time = await databaseTime().catch(() => null)
      if (time !== null) differenceMs = (begin + clock.now()) / 2 - time
    }
    look()
  }

  void compare()
  const timer = setInterval(compare, lookEveryMs).unref()
  return {
    check: { name: 'clock', check: look } satisfies HealthCheck,
    close: () => clearInterval(timer),
  }
}
