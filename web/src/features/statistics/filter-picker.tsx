import type { Match } from '@src/statistics/columns.ts'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Filter as FilterIcon } from 'lucide-react'
import { useState } from 'react'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { useLeadingDebounce } from '../../lib/use-debounced.ts'
import { Button } from '../../ui/button.tsx'
import { Combobox } from '../../ui/combobox.tsx'
import { Popover } from '../../ui/popover.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Select } from '../../ui/select.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { foldersQuery, offeredTagsQuery } from '../groups/queries.ts'
import {
  type Dimension,
  GROUPS,
  type Group,
  isGroup,
  isInParts,
  PICKED,
  toggled,
  VALUES_MAX,
  valuesOf,
} from './filters.ts'
import { topQuery } from './queries.ts'
import type { Report } from './use-report.ts'
import { shortName, valueName } from './words.ts'

/** The most values shown; the search covers them. */
const OFFERED = { own: 1_000, shared: 300 }
const PART_LENGTH_MAX = 100

/** Adds a filter to the report. */
export function FilterPicker({ report }: { report: Report }) {
  const { t } = useI18n()
  const [open, setOpen] = useState(false)
  const all = pickedOf(report)
  if (all.length === 0) return null
  return (
    <Popover
      title={t('statistics.filter.add')}
      open={open}
      onOpenChange={setOpen}
      trigger={
        <Button brief size="sm" icon={<FilterIcon />}>
          {t('statistics.filter.add')}
        </Button>
      }
    >
      <Picker report={report} all={all} onPicked={() => setOpen(false)} />
    </Popover>
  )
}

/** What can be picked. Shared statistics have no ids of links to filter by. */
function pickedOf({ question: { linkId, shared }, shows }: Report): (Dimension | Group)[] {
  const ofMany = linkId === null && !shared
  return [
    ...(ofMany ? GROUPS : []),
    ...PICKED.filter((one) => shows(one) && (ofMany || one !== 'link')),
  ]
}

function Picker({
  report,
  all,
  onPicked,
}: {
  report: Report
  all: readonly (Dimension | Group)[]
  onPicked: () => void
}) {
  const { t } = useI18n()
  const [by, setBy] = useState<Dimension | Group>(
    all.find((one) => one === 'country') ?? all[0] ?? 'country',
  )
  const [chosenMatch, setMatch] = useState<Match>('is')
  const { filters, setFilters } = report
  const isOffered = chosenMatch === 'contains' ? isInParts(by) : !isGroup(by)
  const match = isOffered ? chosenMatch : 'is'
  const kind = { dimension: by, match }
  const chosen = valuesOf(filters, kind)
  const pick = (value: string) => {
    setFilters(toggled(filters, { ...kind, value }))
    // There is one folder; of other dimensions more values may follow.
    if (by === 'folder') onPicked()
  }
  const values = { chosen, onPick: pick }
  return (
    <div className="flex w-64 flex-col gap-3">
      <Select<Dimension | Group>
        compact
        className="w-full!"
        label={t('statistics.filters')}
        value={by}
        onChange={setBy}
        options={all.map((value) => ({ value, label: t(`statistics.dimension.${value}`) }))}
      />
      {isGroup(by) ? (
        <GroupValue key={by} group={by} {...values} />
      ) : (
        <>
          <Segmented
            label={t('statistics.filter.mode')}
            value={match}
            onChange={setMatch}
            options={[
              { value: 'is', label: t('statistics.filter.only') },
              { value: 'not', label: t('statistics.filter.except') },
              ...(isInParts(by)
                ? [{ value: 'contains' as const, label: t('statistics.filter.part') }]
                : []),
            ]}
          />
          {match === 'contains' ? (
            <PartValue key={by} dimension={by} {...values} />
          ) : (
            <DimensionValue key={by} report={report} dimension={by} {...values} />
          )}
        </>
      )}
    </div>
  )
}

interface Values {
  chosen: readonly string[]
  /** Chooses a value, or no longer. */
  onPick: (value: string) => void
}

/** A part of the values, typed. */
function PartValue({ dimension, chosen, onPick }: Values & { dimension: Dimension }) {
  const { t } = useI18n()
  const [text, setText] = useState('')
  const part = text.trim()
  return (
    <form
      className="flex items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        if (part === '' || chosen.includes(part) || chosen.length >= VALUES_MAX) return
        onPick(part)
        setText('')
      }}
    >
      <TextField
        className="min-w-0 flex-1"
        label={t(`statistics.dimension.${dimension}`)}
        hideLabel
        placeholder={t('statistics.filter.partOf')}
        maxLength={PART_LENGTH_MAX}
        autoComplete="off"
        value={text}
        onChange={setText}
      />
      <Button type="submit" disabled={part === ''}>
        {t('statistics.filter.apply')}
      </Button>
    </form>
  )
}

/** Values of the report's clicks. */
function DimensionValue({
  report: { question, period, filters },
  dimension,
  chosen,
  onPick,
}: Values & {
  report: Report
  dimension: Dimension
}) {
  const i18n = useI18n()
  const { t } = i18n
  // Without its own filters, which leave no other value to choose.
  const others = filters.filter((one) => one.dimension !== dimension)
  const list = useQuery(
    topQuery(
      { ...question, filters: others },
      period,
      dimension,
      OFFERED[question.shared ? 'shared' : 'own'],
    ),
  )
  const values = (list.data?.data ?? []).filter(
    ({ value }) =>
      (value !== null || dimension !== 'link') &&
      (chosen.length < VALUES_MAX || chosen.includes(String(value ?? ''))),
  )
  return (
    <Combobox
      className="w-full!"
      label={t(`statistics.dimension.${dimension}`)}
      placeholder={t('statistics.filter.choose')}
      value=""
      pending={list.isPending}
      chosen={chosen.map((value) => `=${value}`)}
      onChange={(key) => onPick(key.slice(1))}
      // A value may be empty, an option's key must not.
      options={values.map(({ value, short_url, name }) => ({
        value: `=${value ?? ''}`,
        label: short_url ? shortName(short_url) : (name ?? valueName(dimension, value, i18n)),
      }))}
    />
  )
}

/** Tags, or a folder that the person can see; searched on the server. */
function GroupValue({ group, chosen, onPick }: Values & { group: Group }) {
  const { t } = useI18n()
  const { workspace } = usePlace()
  const [text, setText] = useState('')
  const search = useLeadingDebounce(text, 150)
  const tags = useQuery({
    ...offeredTagsQuery(workspace.id, search),
    enabled: group === 'tag',
  })
  const folders = useInfiniteQuery({
    ...foldersQuery(workspace.id, search),
    enabled: group === 'folder',
  })
  const options =
    group === 'tag'
      ? (tags.data ?? []).map(({ name }) => ({ value: name, label: name }))
      : (folders.data ?? []).map(({ id, name }) => ({ value: id, label: name }))
  return (
    <Combobox
      className="w-full!"
      label={t(`statistics.dimension.${group}`)}
      placeholder={t('statistics.filter.choose')}
      value={chosen[0] ?? ''}
      chosen={group === 'tag' ? chosen : undefined}
      onChange={onPick}
      onSearch={setText}
      pending={(group === 'tag' ? tags : folders).isPending}
      options={options}
    />
  )
}
