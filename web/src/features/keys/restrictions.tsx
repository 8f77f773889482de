import { useInfiniteQuery } from '@tanstack/react-query'
import { type ReactNode, useId, useState } from 'react'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { useCalmed } from '../../lib/use-debounced.ts'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Chip } from '../../ui/chip.tsx'
import { Combobox } from '../../ui/combobox.tsx'
import { Disclosure } from '../../ui/disclosure.tsx'
import { fieldError, fieldsWithin, listError } from '../../ui/errors.ts'
import { Field, FieldError } from '../../ui/field.tsx'
import type { Option } from '../../ui/listbox.tsx'
import { NetworksField } from '../../ui/networks-field.tsx'
import { useHosts } from '../domains/hosts.ts'
import { foldersQuery } from '../groups/calls.ts'
import { TagsInput } from '../links/form/tags-input.tsx'
import { type Draft, isRestricted } from './draft.ts'
import { useFolderNames } from './folder-names.ts'

/** A collapsible section with the restrictions of a key. */
export function RestrictionsSection({
  draft,
  set,
  error,
  initiallyOpen = false,
}: {
  draft: Draft
  set: (change: Partial<Draft>) => void
  /** The error of the last request. */
  error: unknown
  initiallyOpen?: boolean
}) {
  const { t } = useI18n()
  return (
    <Disclosure
      title={t('keys.restrictions')}
      initiallyOpen={initiallyOpen}
      forced={fieldsWithin(error, 'restrictions').length > 0}
      mark={isRestricted(draft) ? t('links.section.set') : undefined}
      className="border-line border-t"
    >
      <p className="text-muted text-sm">{t('keys.restrictions.text')}</p>
      <Domains value={draft.domains} onChange={(domains) => set({ domains })} error={error} />
      <Folders value={draft.folders} onChange={(folders) => set({ folders })} error={error} />
      <Tags value={draft.tags} onChange={(tags) => set({ tags })} error={error} />
      <Checkbox
        label={t('keys.restrictions.own')}
        checked={draft.ownLinks}
        onChange={(ownLinks) => set({ ownLinks })}
      />
      <FieldError id={useId()} message={fieldError(error, 'restrictions.own_links')} />
      <NetworksField
        label={t('keys.restrictions.networks')}
        hint={t('keys.restrictions.networks.hint')}
        error={error}
        field="restrictions.networks"
        value={draft.networks}
        onChange={(networks) => set({ networks })}
      />
    </Disclosure>
  )
}

interface ListProps {
  value: readonly string[] | null
  onChange: (value: readonly string[] | null) => void
  error: unknown
}

const orNull = (list: readonly string[]) => (list.length === 0 ? null : list)

/** The hosts of the instance, and the workspace's own. */
function Domains({ value, onChange, error }: ListProps) {
  const i18n = useI18n()
  const { t } = i18n
  const chosen = value ?? []
  return (
    <Picker
      legend={t('usage.domains')}
      add={t('keys.restrictions.addDomain')}
      chosen={chosen.map((host) => ({ value: host, label: host }))}
      options={useHosts().map((host) => ({ value: host, label: host }))}
      error={listError(error, 'restrictions.domains', chosen, i18n)}
      onChange={(hosts) => onChange(orNull(hosts))}
    />
  )
}

/** Folders, searched on the server. */
function Folders({ value, onChange, error }: ListProps) {
  const i18n = useI18n()
  const { t } = i18n
  const { workspace } = usePlace()
  const [text, setText] = useState('')
  const found = useInfiniteQuery(foldersQuery(workspace.id, useCalmed(text, 150))).data ?? []
  const chosen = value ?? []
  const names = useFolderNames(chosen)
  return (
    <Picker
      legend={t('folders.title')}
      add={t('keys.restrictions.addFolder')}
      chosen={chosen.map((id, i) => ({ value: id, label: names[i] ?? id }))}
      options={found.map(({ id, name }) => ({ value: id, label: name }))}
      error={listError(error, 'restrictions.folders', names, i18n)}
      onSearch={setText}
      onChange={(ids) => onChange(orNull(ids))}
    />
  )
}

function Tags({ value, onChange, error }: ListProps) {
  const i18n = useI18n()
  const { t } = i18n
  const chosen = value ?? []
  return (
    <Field label={t('tags.title')} error={listError(error, 'restrictions.tags', chosen, i18n)}>
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
  onChange,
}: {
  legend: ReactNode
  /** The label of the list. */
  add: string
  chosen: readonly Option[]
  options: readonly Option[]
  error: string | undefined
  onSearch?: (text: string) => void
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
