import { useI18n } from '../../i18n/index.tsx'
import { fieldError } from '../../ui/errors.ts'
import { SelectField } from '../../ui/select.tsx'
import { TextField } from '../../ui/text-field.tsx'
import type { Domain } from './queries.ts'

export const SLUG_STYLES = ['readable', 'lowercase', 'digits', 'words'] as const
export type SlugStyle = Domain['slug_style']

/** The fields of a form with these settings. */
export const SLUG_FIELDS = ['slug_style', 'slug_length', 'slug_prefix']

/** How slugs are generated, as typed. */
export interface SlugDraft {
  slug_style: SlugStyle
  slug_length: string
  slug_prefix: string
}

export function slugDraftOf(
  settings: Pick<Domain, 'slug_style' | 'slug_length' | 'slug_prefix'>,
): SlugDraft {
  const { slug_style, slug_length, slug_prefix } = settings
  return { slug_style, slug_length: String(slug_length), slug_prefix: slug_prefix ?? '' }
}

export function slugPatchOf({ slug_style, slug_length, slug_prefix }: SlugDraft) {
  const length = slug_length === '' ? null : Number(slug_length)
  return { slug_style, slug_length: length, slug_prefix: slug_prefix || null }
}

/** The settings of generated slugs, of a domain or a workspace. */
export function SlugSettingsFields({
  draft,
  set,
  error,
  disabled = false,
  hint,
}: {
  draft: SlugDraft
  set: (change: Partial<SlugDraft>) => void
  error: unknown
  disabled?: boolean
  hint?: string
}) {
  const { t } = useI18n()
  return (
    <>
      <SelectField
        label={t('domains.slugStyle')}
        hint={hint}
        error={fieldError(error, 'slug_style')}
        disabled={disabled}
        value={draft.slug_style}
        onChange={(slug_style) => set({ slug_style })}
        options={SLUG_STYLES.map((value) => ({ value, label: t(`domains.slugStyle.${value}`) }))}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={t('domains.slugLength')}
          error={fieldError(error, 'slug_length')}
          type="number"
          min={4}
          max={32}
          disabled={disabled || draft.slug_style === 'words'}
          value={draft.slug_length}
          onChange={(slug_length) => set({ slug_length })}
        />
        <TextField
          label={t('domains.slugPrefix')}
          error={fieldError(error, 'slug_prefix')}
          dir="ltr"
          disabled={disabled}
          value={draft.slug_prefix}
          onChange={(slug_prefix) => set({ slug_prefix })}
        />
      </div>
    </>
  )
}
