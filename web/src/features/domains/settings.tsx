import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useI18n } from '../../i18n/index.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { fieldError } from '../../ui/errors.ts'
import { TextareaField, TextField } from '../../ui/text-field.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useDomainsChanged } from './dialogs.tsx'
import { type Domain, type DomainPatch, updateDomain } from './queries.ts'
import { SLUG_FIELDS, SlugSettingsFields, slugDraftOf, slugPatchOf } from './slug-fields.tsx'

const ADDRESSES = [
  ['root_url', 'domains.root'],
  ['not_found_url', 'domains.notFound'],
  ['expired_url', 'domains.expired'],
] as const

/** Files requested by other systems, by path. */
const FILES = [
  ['apple_app_site_association', 'apple-app-site-association'],
  ['assetlinks', 'assetlinks.json'],
] as const

const FIELDS = [
  ...[...ADDRESSES, ...FILES].map(([name]) => name),
  ...SLUG_FIELDS,
  ...['case_sensitive', 'robots', 'brand.name', 'brand.color'],
]

/** The form's values. */
function draftOf(domain: Domain) {
  const json = (value: unknown) => (value === null ? '' : JSON.stringify(value, null, 2))
  return {
    root_url: domain.root_url ?? '',
    not_found_url: domain.not_found_url ?? '',
    expired_url: domain.expired_url ?? '',
    case_sensitive: domain.case_sensitive,
    ...slugDraftOf(domain),
    name: domain.brand?.name ?? '',
    color: domain.brand?.color ?? '',
    /** A URL set by a program is kept. */
    logo: domain.brand?.logo ?? null,
    robots: domain.robots,
    apple_app_site_association: json(domain.apple_app_site_association),
    assetlinks: json(domain.assetlinks),
  }
}

type Draft = ReturnType<typeof draftOf>

function patchOf(draft: Draft): DomainPatch {
  const { name, color, logo, ...rest } = draft
  const json = (text: string) => (text.trim() === '' ? null : JSON.parse(text))
  return {
    root_url: rest.root_url || null,
    not_found_url: rest.not_found_url || null,
    expired_url: rest.expired_url || null,
    case_sensitive: rest.case_sensitive,
    ...slugPatchOf(rest),
    brand: { name: name || null, color: color || null, logo },
    robots: rest.robots || 'all',
    apple_app_site_association: json(rest.apple_app_site_association),
    assetlinks: json(rest.assetlinks),
  }
}

function isJson(text: string): boolean {
  if (text.trim() === '') return true
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The settings of a domain. */
export function SettingsDialog({ domain, onClose }: { domain: Domain; onClose: () => void }) {
  const { t } = useI18n()
  const changed = useDomainsChanged()
  const [draft, setDraft] = useState(() => draftOf(domain))
  const [tried, setTried] = useState(false)
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change })
  const save = useMutation({
    mutationFn: () => updateDomain(domain.id, patchOf(draft)),
    async onSuccess() {
      await changed()
      showToast({ title: t('common.saved') })
      onClose()
    },
  })
  const submit = () => {
    setTried(true)
    if (FILES.every(([name]) => isJson(draft[name]))) save.mutate()
  }
  const { error } = save
  return (
    <FormDialog
      title={domain.host}
      action={t('common.save')}
      task={save}
      fields={FIELDS}
      onSubmit={submit}
      onClose={onClose}
    >
      {ADDRESSES.map(([name, label]) => (
        <TextField
          key={name}
          label={t(label)}
          error={fieldError(error, name)}
          type="url"
          dir="ltr"
          placeholder="https://"
          value={draft[name]}
          onChange={(text) => set({ [name]: text })}
        />
      ))}
      <Checkbox
        checked={draft.case_sensitive}
        onChange={(case_sensitive) => set({ case_sensitive })}
        label={t('domains.case')}
        hint={fieldError(error, 'case_sensitive') ?? <code dir="ltr">/Ab ≠ /aB</code>}
      />
      <SlugSettingsFields draft={draft} set={set} error={error} />
      <Brand draft={draft} set={set} error={error} />
      <TextareaField
        label={t('domains.robots')}
        error={fieldError(error, 'robots')}
        dir="ltr"
        rows={2}
        controlClass="font-mono"
        placeholder="all"
        value={draft.robots}
        onChange={(robots) => set({ robots })}
      />
      {FILES.map(([name, label]) => (
        <TextareaField
          key={name}
          label={label}
          error={tried && !isJson(draft[name]) ? t('domains.json') : fieldError(error, name)}
          dir="ltr"
          rows={4}
          controlClass="font-mono"
          spellCheck={false}
          value={draft[name]}
          onChange={(text) => set({ [name]: text })}
        />
      ))}
    </FormDialog>
  )
}

function Brand({
  draft,
  set,
  error,
}: {
  draft: Draft
  set: (change: Partial<Draft>) => void
  error: unknown
}) {
  const { t } = useI18n()
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={t('domains.brand.name')}
          error={fieldError(error, 'brand.name')}
          maxLength={60}
          value={draft.name}
          onChange={(name) => set({ name })}
        />
        <TextField
          label={t('domains.brand.color')}
          error={fieldError(error, 'brand.color')}
          dir="ltr"
          placeholder="#0b6e4f"
          value={draft.color}
          onChange={(color) => set({ color })}
        />
      </div>
      <Checkbox
        checked={draft.logo !== null}
        onChange={(isShown) => set({ logo: isShown ? true : null })}
        label={t('domains.brand.logo')}
      />
    </>
  )
}
