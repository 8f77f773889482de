import { parseTimestamp } from '../lib/validation/timestamp.ts'
import { CommandError } from './context.ts'

const UNITS_MS: Record<string, number> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

/** Milliseconds of a duration such as `30s`, `15m`, `24h`, `90d`, `2w`. @throws CommandError */
export function parseDuration(option: string, text: string): number {
  const ms = durationOf(text)
  if (ms !== null) return ms
  const message = `${option} ${text} is not a duration; write one like 30s, 15m, 24h or 90d`
  throw new CommandError(message, 2)
}

/**
 * A duration from `now`, or an RFC 3339 time, as milliseconds since the Unix epoch.
 * @throws CommandError when it is neither, or not in the future
 */
export function parseMoment(option: string, text: string, now: number): number {
  const duration = durationOf(text)
  const moment = duration === null ? parseTimestamp(text) : now + duration
  if (typeof moment !== 'number') {
    const wanted = 'neither a duration like 90d nor a time like 2030-01-31T09:00:00Z'
    throw new CommandError(`${option} ${text} is ${wanted}`, 2)
  }
  if (moment > now) return moment
  throw new CommandError(`${option} ${text} is not in the future`, 2)
}

/** For display: to the minute, in UTC. */
export function shortTime(iso: string | null): string {
  return iso === null ? '-' : `${iso.slice(0, 10)} ${iso.slice(11, 16)}`
}

function durationOf(text: string): number | null {
  const match = /^(\d{1,9})([smhdw])$/.exec(text)
  if (match === null) return null
  return Number(match[1]) * (UNITS_MS[match[2] as string] as number)
}
