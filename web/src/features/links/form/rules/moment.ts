/** A bound of a time window in its zone; without a time it is the whole day. */
export interface MomentFields {
  day: string
  time: string
}

/** A bound as fields. */
export function momentFields(moment: string | undefined, zone: string): MomentFields {
  if (moment === undefined) return { day: '', time: '' }
  if (!moment.includes('T')) return { day: moment, time: '' }
  const [day = '', time = ''] = clockIn(zone, Date.parse(moment)).split('T')
  return { day, time }
}

/** A bound in the API's form: a day, or a timestamp. */
export function momentOf({ day, time }: MomentFields, zone: string): string | undefined {
  if (day === '') return undefined
  if (time === '') return day
  const shown = Date.parse(`${day}T${time}Z`)
  const offsetAt = (instant: number) => Date.parse(`${clockIn(zone, instant)}Z`) - instant
  // The offset is that of the time itself, which the first guess is close to.
  const guess = shown - offsetAt(shown)
  return new Date(shown - offsetAt(guess)).toISOString()
}

/** `2026-03-29T09:30` in a zone. */
function clockIn(timeZone: string, instant: number): string {
  const options = { day: '2-digit', month: '2-digit', hour: '2-digit', minute: '2-digit' } as const
  const format = new Intl.DateTimeFormat('en-GB', {
    ...options,
    year: 'numeric',
    hourCycle: 'h23',
    timeZone,
  })
  const parts = format.formatToParts(instant)
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? ''
  const day = `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`
  return `${day}T${part('hour')}:${part('minute')}`
}
