import { useQuery } from '@tanstack/react-query'
import { Search } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { useDebounced } from '../../lib/use-debounced.ts'
import { Button } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'
import { Combobox } from '../../ui/combobox.tsx'
import { cx } from '../../ui/cx.ts'
import { DayInput } from '../../ui/day-input.tsx'
import { InputGroup } from '../../ui/input.tsx'
import { Select } from '../../ui/select.tsx'
import { keysQuery } from '../keys/queries.ts'
import { membersQuery } from '../members/queries.ts'
import { actionsOf, KINDS, type Kind, kindNamed } from './kinds.ts'
import type { AuditSearch } from './search.ts'
import { actionLabel } from './words.ts'

/** Typing is debounced so long. */
const TYPING_MS = 300

interface FilterProps {
  filter: AuditSearch
  onChange: (filter: AuditSearch) => void
}

/** The filter of the log. Clicking on a name in the log adds to it. */
export function Filters({
  filter,
  target,
  onChange,
}: FilterProps & {
  /** The name of the object that is filtered by. */
  target: string | undefined
}) {
  const { t } = useI18n()
  const set = (changed: Partial<Record<keyof AuditSearch, string | undefined>>) => {
    const all = Object.entries({ ...filter, ...changed }).filter(([, value]) => value)
    onChange(Object.fromEntries(all) as AuditSearch)
  }
  const named = t('audit.filter.target', { target: target ?? filter.target ?? '' })
  const days = [
    ['after', 'audit.filter.after'],
    ['before', 'audit.filter.before'],
  ] as const
  return (
    <div
      className={cx(
        'mb-4 flex flex-wrap items-center gap-x-3 gap-y-2',
        Object.keys(filter).length === 0 && 'print:hidden',
      )}
    >
      <SearchField value={filter.search ?? ''} onChange={(search) => set({ search })} />
      <Who value={filter.actor} onChange={(actor) => set({ actor })} />
      <What filter={filter} onChange={set} />
      <div className="grid w-full grid-cols-2 gap-2 sm:contents">
        {days.map(([name, label]) => (
          <DayInput
            key={name}
            label={t(label)}
            value={filter[name] ?? ''}
            onChange={(day) => set({ [name]: day })}
          />
        ))}
      </div>
      {filter.target === undefined ? null : (
        <Chip
          tone="accent"
          onRemove={() => set({ target: undefined })}
          removeLabel={t('links.removeFilter', { filter: named })}
        >
          {named}
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

/** Text in the names of objects and people. */
function SearchField({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  const { t } = useI18n()
  const [text, setText] = useState(value)
  const typed = useDebounced(text.trim(), TYPING_MS)
  const sent = useRef(value)
  // Follows the URL, for example when the filters are cleared, but not behind the typing.
  useEffect(() => {
    if (value !== sent.current) setText(value)
    sent.current = value
  }, [value])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed asks
  useEffect(() => {
    if (typed !== text.trim() || typed === sent.current) return
    sent.current = typed
    onChange(typed)
  }, [typed])
  return (
    <InputGroup
      role="searchbox"
      className="w-full sm:w-56"
      aria-label={t('audit.filter.search')}
      placeholder={t('audit.filter.search')}
      value={text}
      onChange={(event) => setText(event.target.value)}
      before={<Search />}
    />
  )
}

const ANYONE = ''

/** The person, key or program. */
function Who({
  value = ANYONE,
  onChange,
}: {
  value: string | undefined
  onChange: (actor: string | undefined) => void
}) {
  const { t } = useI18n()
  const { workspace, may } = usePlace()
  const members = useQuery(membersQuery(workspace.id)).data ?? []
  const keys = useQuery({ ...keysQuery(workspace.id), enabled: may('keys:write') }).data ?? []
  const own = (['command', 'system'] as const).map((each) => ({
    value: each,
    label: t(`audit.by.${each}`),
  }))
  const options = [
    { value: ANYONE, label: t('audit.filter.anyone') },
    ...members.map(({ user_id, name, email }) => ({ value: user_id, label: name || email })),
    ...keys.map(({ id, name }) => ({ value: id, label: name })),
    ...own,
  ]
  const isKnown = options.some((option) => option.value === value)
  return (
    <Combobox
      label={t('audit.filter.who')}
      className="h-8! w-full! border-line-strong! bg-canvas! text-base! sm:w-44!"
      value={value}
      onChange={(actor) => onChange(actor || undefined)}
      options={isKnown ? options : [...options, { value, label: value }]}
    />
  )
}

/** The kind of action, and then one of its actions. */
function What({
  filter,
  onChange,
}: {
  filter: AuditSearch
  onChange: (changed: { kind?: string; action?: string | undefined }) => void
}) {
  const i18n = useI18n()
  const { t } = i18n
  const kind = kindNamed(filter.kind)
  const actions = kind === undefined ? [] : actionsOf(kind)
  return (
    <>
      <Select
        label={t('audit.filter.action')}
        className="w-full! sm:w-44!"
        value={kind ?? ''}
        onChange={(chosen) => onChange({ kind: chosen, action: undefined })}
        options={[
          { value: '', label: t('audit.filter.any') },
          ...(Object.keys(KINDS) as Kind[]).map((each) => ({
            value: each as string,
            label: t(KINDS[each].label),
          })),
        ]}
      />
      {kind === undefined || actions.length < 2 ? null : (
        <Select
          label={t(KINDS[kind].label)}
          className="w-full! sm:w-48!"
          value={filter.action ?? ''}
          onChange={(action) => onChange({ action })}
          options={[
            { value: '', label: t('audit.filter.any') },
            ...actions.map((action) => ({
              value: action as string,
              label: actionLabel(action, i18n),
            })),
          ]}
        />
      )}
    </>
  )
}
