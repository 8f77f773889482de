import { Dices } from 'lucide-react'
import { usePlace } from '../../../app/workspace.tsx'
import { useI18n } from '../../../i18n/index.tsx'
import { IconButton } from '../../../ui/button.tsx'
import { Field } from '../../../ui/field.tsx'
import { InputGroup } from '../../../ui/input.tsx'
import { SelectField } from '../../../ui/select.tsx'
import { useHosts } from '../../domains/hosts.ts'
import { SLUG_STYLES } from '../../domains/slug-fields.tsx'
import type { Draft } from './draft.ts'

/** The server's alphabet of slugs: no ambiguous characters. */
const ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz'
const LENGTH = 7

/** The short URL: the domain, if there are several, and the slug. */
export function AddressFields({
  draft,
  set,
  problems,
  isNew,
}: {
  draft: Draft
  set: (change: Partial<Draft>) => void
  problems: Partial<Record<string, string>>
  isNew: boolean
}) {
  const { t } = useI18n()
  const { instance } = usePlace()
  const known = useHosts()
  const hosts = known.includes(draft.domain) ? known : [...known, draft.domain]
  const severalDomains = hosts.length > 1
  const host = severalDomains ? draft.domain : new URL(instance.base_url).host
  return (
    <>
      {severalDomains ? (
        <SelectField
          label={t('links.field.domain')}
          error={problems.domain}
          value={draft.domain}
          onChange={(domain) => set({ domain })}
          options={hosts.map((value) => ({ value, label: value }))}
        />
      ) : null}
      <Field
        label={t('links.field.slug')}
        hint={t(isNew ? 'links.hint.slug' : 'links.hint.slugKept')}
        error={problems.slug}
      >
        {(control) => (
          <InputGroup
            {...control}
            dir="ltr"
            before={`${host}/`}
            after={
              <IconButton
                size="sm"
                label={t('links.randomSlug')}
                icon={<Dices />}
                onClick={() => set({ slug: randomSlug() })}
              />
            }
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            value={draft.slug}
            onChange={(event) => set({ slug: event.target.value })}
          />
        )}
      </Field>
      {isNew && draft.slug === '' ? (
        <SelectField
          label={t('domains.slugStyle')}
          error={problems.slug_style}
          value={draft.slug_style}
          onChange={(slug_style) => set({ slug_style })}
          options={[
            { value: '', label: t('domains.slugStyle.asSet') },
            ...SLUG_STYLES.map((value) => ({ value, label: t(`domains.slugStyle.${value}`) })),
          ]}
        />
      ) : null}
    </>
  )
}

/** The server validates it like any other; the modulo bias is small enough. */
function randomSlug(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(LENGTH))
  return Array.from(bytes, (byte) => ALPHABET[byte % ALPHABET.length]).join('')
}
