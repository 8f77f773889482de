import { useI18n } from '../../i18n/index.tsx'
import { Button } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'
import { DayInput } from '../../ui/day-input.tsx'
import { Select } from '../../ui/select.tsx'
import type { AuditSearch } from './search.ts'
import { ACTIONS, actionLabel } from './words.ts'

/** The filter of the log. Clicking on a name in the log adds to it. */
export function Filters({
  filter,
  onChange,
}: {
  filter: AuditSearch
  onChange: (filter: AuditSearch) => void
}) {
  const i18n = useI18n()
  const { t } = i18n
  const set = (name: keyof AuditSearch, value: string | undefined) => {
    const { [name]: _, ...rest } = filter
    onChange(value ? { ...rest, [name]: value } : rest)
  }
  const days = [
    ['after', 'audit.filter.after'],
    ['before', 'audit.filter.before'],
  ] as const
  return (
    <div className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-2">
      <Select
        label={t('audit.filter.action')}
        className="w-full! sm:w-52!"
        value={filter.action ?? ''}
        onChange={(action) => set('action', action)}
        options={[
          { value: '', label: t('audit.filter.any') },
          ...ACTIONS.map((value) => ({
            value: value as string,
            label: actionLabel(value, i18n),
          })),
        ]}
      />
      <div className="grid w-full grid-cols-2 gap-2 sm:contents">
        {days.map(([name, label]) => (
          <DayInput
            key={name}
            label={t(label)}
            value={filter[name] ?? ''}
            onChange={(day) => set(name, day)}
          />
        ))}
      </div>
      {filter.actor === undefined ? null : (
        <Chip
          tone="accent"
          onRemove={() => set('actor', undefined)}
          removeLabel={t('audit.filter.clear')}
        >
          {t('audit.filter.byActor', { actor: filter.actor })}
        </Chip>
      )}
      {filter.target === undefined ? null : (
        <Chip
          tone="accent"
          onRemove={() => set('target', undefined)}
          removeLabel={t('audit.filter.clear')}
        >
          {t('audit.filter.target', { target: filter.target })}
        </Chip>
      )}
      {Object.keys(filter).length > 0 ? (
        <Button variant="ghost" size="sm" onClick={() => onChange({})}>
          {t('audit.filter.clear')}
        </Button>
      ) : null}
    </div>
  )
}
