import { useInfiniteQuery } from '@tanstack/react-query'
import { type ReactNode, useId, useState } from 'react'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { useLeadingDebounce } from '../../lib/use-debounced.ts'
import { Chip } from '../../ui/chip.tsx'
import { Combobox } from '../../ui/combobox.tsx'
import { listError } from '../../ui/errors.ts'
import { Field, FieldError } from '../../ui/field.tsx'
import type { Option } from '../../ui/listbox.tsx'
import { useHosts } from '../domains/hosts.ts'
import { foldersQuery } from '../groups/queries.ts'
import { TagsInput } from '../links/form/tags-input.tsx'
import { useFolderNames } from './folder-names.ts'

interface ListProps {
  value: readonly string[] | null
  onChange: (value: readonly string[] | null) => void
  error: unknown
  /** The field of the body that has the list. */
  within: string
}

const orNull = (list: readonly string[]) => (list.length === 0 ? null : list)

/** Domains: the hosts of the instance, and the workspace's own. */
export function DomainsPicker({ value, onChange, error, within }: ListProps) {
  const i18n = useI18n()
  const { t } = i18n
  const chosen = value ?? []
  return (
    <Picker
      legend={t('usage.domains')}
      add={t('keys.restrictions.addDomain')}
      chosen={chosen.map((host) => ({ value: host, label: host }))}
      options={useHosts().map((host) => ({ value: host, label: host }))}
      error={listError(error, `${within}.domains`, chosen, i18n)}
      onChange={(hosts) => onChange(orNull(hosts))}
    />
  )
}

/** Folders, searched on the server. */
export function FoldersPicker({ value, onChange, error, within }: ListProps) {
  const i18n = useI18n()
  const { t } = i18n
  const { workspace } = usePlace()
  const [text, setText] = useState('')
  const found = useInfiniteQuery(foldersQuery(workspace.id, useLeadingDebounce(text, 150)))
  const chosen = value ?? []
  const names = useFolderNames(chosen)
  return (
    <Picker
      legend={t('folders.title')}
      add={t('keys.restrictions.addFolder')}
      chosen={chosen.map((id, i) => ({ value: id, label: names[i] ?? id }))}
      options={found.data?.map(({ id, name }) => ({ value: id, label: name })) ?? []}
      pending={found.isPending}
      error={listError(error, `${within}.folders`, names, i18n)}
      onSearch={setText}
      onChange={(ids) => onChange(orNull(ids))}
    />
  )
}

/** Tags of the workspace. */
export function TagsPicker({ value, onChange, error, within }: ListProps) {
  const i18n = useI18n()
  const { t } = i18n
  const chosen = value ?? []
  return (
    <Field label={t('tags.title')} error={listError(error, `${within}.tags`, chosen, i18n)}>
      {(control) => (
        <>
          {value?.length === 0 ? (
            <Removable label={t('keys.restrictions.deletedTags')} onRemove={() => onChange(null)} />
          ) : null}
          <TagsInput control={control} value={chosen} onChange={(tags) => onChange(orNull(tags))} />
        </>
      )}
    </Field>
  )
}

/** Any number of many values: the chosen ones, and a list to add from. */
function Picker({
  legend,
  add,
  chosen,
  options,
  error,
  onSearch,
  pending = false,
  onChange,
}: {
  legend: ReactNode
  /** The label of the list. */
  add: string
  chosen: readonly Option[]
  options: readonly Option[]
  error: string | undefined
  onSearch?: (text: string) => void
  /** Whether the options are still being loaded. */
  pending?: boolean
  onChange: (values: string[]) => void
}) {
  const id = useId()
  const values = chosen.map(({ value }) => value)
  return (
    <fieldset className="flex min-w-0 flex-col gap-2" aria-describedby={id}>
      <legend className="mb-1.5 font-medium text-sm">{legend}</legend>
      {chosen.length > 0 ? (
        <div className="flex flex-wrap gap-1">
          {chosen.map(({ value, label }) => (
            <Removable
              key={value}
              label={label}
              onRemove={() => onChange(values.filter((one) => one !== value))}
            />
          ))}
        </div>
      ) : null}
      <Combobox
        className="w-full!"
        label={add}
        placeholder={add}
        value=""
        options={options.filter(({ value }) => !values.includes(value))}
        onChange={(value) => onChange([...values, value])}
        pending={pending}
        {...(onSearch && { onSearch })}
        invalid={error !== undefined}
      />
      <FieldError id={id} message={error} />
    </fieldset>
  )
}

function Removable({ label, onRemove }: { label: string; onRemove: () => void }) {
  const { t } = useI18n()
  return (
    <Chip removeLabel={t('keys.restrictions.remove', { name: label })} onRemove={onRemove}>
      {label}
    </Chip>
  )
}
