import { useI18n } from '../../../i18n/index.tsx'
import { Field } from '../../../ui/field.tsx'
import { Input, Textarea } from '../../../ui/input.tsx'
import { Select } from '../../../ui/select.tsx'
import { Switch } from '../../../ui/switch.tsx'
import type { Draft } from './draft.ts'
import { PasswordField } from './password-field.tsx'
import { TagsInput } from './tags-input.tsx'

/** What most links don't need. */
export function LinkOptions({
  draft,
  set,
  problems,
  hasPassword,
  tags,
}: {
  draft: Draft
  set: (change: Partial<Draft>) => void
  problems: Partial<Record<string, string>>
  hasPassword: boolean
  /** Tags that other links have. */
  tags: readonly string[]
}) {
  const { t } = useI18n()
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  return (
    <div className="flex flex-col gap-4">
      <Field label={t('links.field.title')} hint={t('links.hint.title')} error={problems.title}>
        {(control) => (
          <Input
            {...control}
            value={draft.title}
            onChange={(event) => set({ title: event.target.value })}
          />
        )}
      </Field>
      <Field label={t('links.field.tags')} hint={t('links.hint.tags')} error={problems.tags}>
        {(control) => (
          <TagsInput
            control={control}
            value={draft.tags}
            onChange={(next) => set({ tags: next })}
            suggestions={tags}
          />
        )}
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={t('links.field.startsAt')} error={problems.starts_at}>
          {(control) => (
            <Input
              {...control}
              type="datetime-local"
              value={draft.starts_at}
              onChange={(event) => set({ starts_at: event.target.value })}
            />
          )}
        </Field>
        <Field label={t('links.field.expiresAt')} error={problems.expires_at}>
          {(control) => (
            <Input
              {...control}
              type="datetime-local"
              value={draft.expires_at}
              onChange={(event) => set({ expires_at: event.target.value })}
            />
          )}
        </Field>
        <p className="text-faint text-xs sm:col-span-2">{t('links.hint.zone', { zone })}</p>
      </div>
      <PasswordField
        value={draft.password}
        onChange={(password) => set({ password })}
        hasPassword={hasPassword}
        error={problems.password}
      />
      <Field
        label={t('links.field.maxClicks')}
        hint={t('links.hint.maxClicks')}
        error={problems.max_clicks}
      >
        {(control) => (
          <Input
            {...control}
            inputMode="numeric"
            value={draft.max_clicks}
            onChange={(event) => set({ max_clicks: event.target.value })}
          />
        )}
      </Field>
      <Field
        label={t('links.field.fallback')}
        hint={t('links.hint.fallback')}
        error={problems.fallback_url}
      >
        {(control) => (
          <Input
            {...control}
            type="url"
            dir="ltr"
            placeholder="https://"
            value={draft.fallback_url}
            onChange={(event) => set({ fallback_url: event.target.value })}
          />
        )}
      </Field>
      <Field
        label={t('links.field.redirectStatus')}
        hint={t('links.hint.redirectStatus')}
        error={problems.redirect_status}
      >
        {(control) => (
          <Select
            {...control}
            value={draft.redirect_status}
            onChange={(redirect_status) => set({ redirect_status })}
            options={(['302', '301', '307', '308'] as const).map((value) => ({
              value: value as string,
              label: t(`links.redirect.${value}`),
            }))}
          />
        )}
      </Field>
      <Switch
        checked={draft.forward_query}
        onChange={(forward_query) => set({ forward_query })}
        label={t('links.field.forwardQuery')}
        hint={t('links.hint.forwardQuery')}
      />
      <Field label={t('links.field.notes')} hint={t('links.hint.notes')} error={problems.notes}>
        {(control) => (
          <Textarea
            {...control}
            value={draft.notes}
            onChange={(event) => set({ notes: event.target.value })}
          />
        )}
      </Field>
      <Field
        label={t('links.field.externalId')}
        hint={t('links.hint.externalId')}
        error={problems.external_id}
      >
        {(control) => (
          <Input
            {...control}
            value={draft.external_id}
            onChange={(event) => set({ external_id: event.target.value })}
          />
        )}
      </Field>
    </div>
  )
}
