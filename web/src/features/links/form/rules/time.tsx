import { isOvernight, WEEKDAYS } from '@src/redirect/rules/types.ts'
import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useI18n } from '../../../../i18n/index.tsx'
import { Button, IconButton } from '../../../../ui/button.tsx'
import { Input } from '../../../../ui/input.tsx'
import { TextField } from '../../../../ui/text-field.tsx'
import { Toggles } from '../../../../ui/toggles.tsx'
import { ownTimeZone } from '../../../statistics/range.ts'
import { ZoneSelect } from '../../../statistics/zone-select.tsx'
import { dayName, type When } from '../../rules/text.ts'
import { type MomentFields, momentFields, momentOf } from './moment.ts'

export type Window = NonNullable<When['time']>

const NEW_HOURS = ['09:00', '17:00']

/** Only the person's zone. */
export const newWindow = (): Window => ({ timezone: ownTimeZone() })

/** Days and hours in a zone. */
export function TimeInput({
  value,
  onChange,
  invalid,
}: {
  value: Window
  onChange: (value: Window) => void
  invalid: boolean
}) {
  const i18n = useI18n()
  const { t } = i18n
  const { timezone, from, until, days = [], hours = [] } = value
  // Empty values are omitted.
  const set = (fields: { [Name in keyof Window]?: Window[Name] | undefined }) => {
    const entries = Object.entries({ ...value, ...fields }).filter(
      ([, one]) => one !== undefined && !(Array.isArray(one) && one.length === 0),
    )
    onChange(Object.fromEntries(entries) as unknown as Window)
  }
  // Keeps the clock time when the zone changes.
  const moved = (moment: string | undefined, zone: string) =>
    momentOf(momentFields(moment, timezone), zone)
  return (
    <div className="flex flex-col gap-3">
      <ZoneSelect
        className="w-full!"
        value={timezone}
        invalid={invalid}
        onChange={(zone) =>
          set({ timezone: zone, from: moved(from, zone), until: moved(until, zone) })
        }
      />
      <Moment end="from" value={from} zone={timezone} onChange={(next) => set({ from: next })} />
      <Moment end="until" value={until} zone={timezone} onChange={(next) => set({ until: next })} />
      <p className="text-faint text-xs">{t('rules.time.hint')}</p>
      <Toggles
        label={t('rules.time.days')}
        value={days}
        onChange={(next) => set({ days: next })}
        options={WEEKDAYS.map((day) => ({ value: day, label: dayName(day, i18n, 'short') }))}
      />
      <Hours value={hours} onChange={(next) => set({ hours: next })} />
      {hours.some(isOvernight) && <p className="text-faint text-xs">{t('rules.time.overnight')}</p>}
    </div>
  )
}

const ENDS = {
  from: { day: 'rules.time.fromDay', time: 'rules.time.fromTime' },
  until: { day: 'rules.time.untilDay', time: 'rules.time.untilTime' },
} as const

function Moment({
  end,
  value,
  zone,
  onChange,
}: {
  end: keyof typeof ENDS
  value: string | undefined
  zone: string
  onChange: (moment: string | undefined) => void
}) {
  const { t } = useI18n()
  // Not derived from the value: a partly typed year is not a valid date.
  const [fields, setFields] = useState(() => momentFields(value, zone))
  const set = (change: Partial<MomentFields>) => {
    const next = { ...fields, ...change }
    setFields(next)
    onChange(momentOf(next, zone))
  }
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)] gap-2">
      <TextField
        label={t(ENDS[end].day)}
        type="date"
        max="9999-12-31"
        value={fields.day}
        onChange={(day) => set({ day })}
      />
      <TextField
        label={t(ENDS[end].time)}
        type="time"
        value={fields.time}
        onChange={(time) => set({ time })}
      />
    </div>
  )
}

function Hours({
  value,
  onChange,
}: {
  value: readonly string[][]
  onChange: (hours: string[][]) => void
}) {
  const { t } = useI18n()
  return (
    <div className="flex flex-col items-start gap-2">
      {value.map(([start = '', end = ''], i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two spans may be the same while they are typed
        <div key={i} className="flex w-full items-center gap-2">
          <Input
            type="time"
            aria-label={t('rules.time.hoursFrom')}
            value={start}
            onChange={({ target }) => onChange(value.with(i, [target.value, end]))}
          />
          <span aria-hidden="true" className="text-faint">
            –
          </span>
          <Input
            type="time"
            aria-label={t('rules.time.hoursUntil')}
            // The end of a day is the beginning of the next.
            value={end === '24:00' ? '00:00' : end}
            onChange={({ target }) => onChange(value.with(i, [start, target.value]))}
          />
          <IconButton
            label={t('rules.remove', { name: `${start}–${end}` })}
            icon={<Trash2 />}
            onClick={() => onChange(value.filter((_, other) => other !== i))}
          />
        </div>
      ))}
      <Button size="sm" icon={<Plus />} onClick={() => onChange([...value, NEW_HOURS])}>
        {t('rules.time.addHours')}
      </Button>
    </div>
  )
}
