import { CommandError } from './context.ts'

const UNITS_MS: Record<string, number> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}
const DURATION = /^(\d{1,9})([smhdw])$/
/** RFC 3339 §5.6; which days a month has is checked apart. */
const TIME = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i

/** Milliseconds of a duration such as `30s`, `15m`, `24h`, `90d`, `2w`. @throws CommandError */
export function parseDuration(option: string, text: string): number {
  const ms = durationOf(text)
  if (ms !== null) return ms
  throw new CommandError(
    `${option} ${text} is not a duration; write one like 30s, 15m, 24h or 90d`,
    2,
  )
}

/**
 * The moment to come that a duration from now, or an RFC 3339 time, stands for: milliseconds since
 * the Unix epoch. @throws CommandError
 */
export function parseMoment(option: string, text: string, now: number): number {
  const duration = durationOf(text)
  const moment = duration === null ? timeOf(text) : now + duration
  if (moment !== null) {
    if (moment > now) return moment
    throw new CommandError(`${option} ${text} is not in the future`, 2)
  }
  throw new CommandError(
    `${option} ${text} is neither a duration like 90d nor a time like 2030-01-31T09:00:00Z`,
    2,
  )
}

/** For people: to the minute, in UTC. */
export function shortTime(iso: string | null): string {
  return iso === null ? '-' : `${iso.slice(0, 10)} ${iso.slice(11, 16)}`
}

function durationOf(text: string): number | null {
  const match = DURATION.exec(text)
  if (match === null) return null
  return Number(match[1]) * (UNITS_MS[match[2] as string] as number)
}

function timeOf(text: string): number | null {
  const day = TIME.exec(text)?.[1]
  if (day === undefined) return null
  const midnight = new Date(`${day}T00:00:00Z`)
  // 30 February rolls over into March in some engines instead of being refused.
  if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(day)) return null
  const moment = Date.parse(text.toUpperCase())
  return Number.isNaN(moment) ? null : moment
}
