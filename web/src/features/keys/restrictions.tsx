import { useId } from 'react'
import { useI18n } from '../../i18n/index.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Disclosure } from '../../ui/disclosure.tsx'
import { fieldError, fieldsWithin } from '../../ui/errors.ts'
import { FieldError } from '../../ui/field.tsx'
import { NetworksField } from '../../ui/networks-field.tsx'
import { type Draft, isRestricted } from './draft.ts'
import { DomainsPicker, FoldersPicker, TagsPicker } from './pickers.tsx'

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
      <DomainsPicker
        within="restrictions"
        value={draft.domains}
        onChange={(domains) => set({ domains })}
        error={error}
      />
      <FoldersPicker
        within="restrictions"
        value={draft.folders}
        onChange={(folders) => set({ folders })}
        error={error}
      />
      <TagsPicker
        within="restrictions"
        value={draft.tags}
        onChange={(tags) => set({ tags })}
        error={error}
      />
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
