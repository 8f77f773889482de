import { useI18n } from '../../../../i18n/index.tsx'
import { SelectField } from '../../../../ui/select.tsx'
import { Switch } from '../../../../ui/switch.tsx'
import { TextareaField, TextField } from '../../../../ui/text-field.tsx'
import { SLUG_STYLES } from '../../../domains/slug-fields.tsx'
import { PasswordField } from '../password-field.tsx'
import { RulesEditor } from '../rules/rules-editor.tsx'
import { Paths } from './paths.tsx'
import type { FormSection } from './section.tsx'
import { SOCIAL } from './social.tsx'
import { SPLIT } from './split.tsx'
import { UTM } from './utm.tsx'

/** Rules: other destinations for some visitors. */
const RULES: FormSection = {
  title: 'links.field.rules',
  fields: ['rules'],
  Fields({ draft, set, problems, warnings }) {
    return (
      <RulesEditor
        rules={draft.rules}
        onChange={(rules) => set({ rules })}
        problems={problems}
        warnings={warnings}
      />
    )
  },
}

/** How visitors are redirected. */
const REDIRECT: FormSection = {
  title: 'links.section.redirect',
  fields: ['redirect_status', 'forward_query', 'match', 'forward_path'],
  Fields({ draft, set, problems }) {
    const { t } = useI18n()
    return (
      <>
        <SelectField
          label={t('links.field.redirectStatus')}
          hint={t('links.hint.redirectStatus')}
          error={problems.redirect_status}
          value={draft.redirect_status}
          onChange={(redirect_status) => set({ redirect_status })}
          options={(['302', '301', '307', '308'] as const).map((value) => ({
            value: value as string,
            label: t(`links.redirect.${value}`),
          }))}
        />
        <Switch
          checked={draft.forward_query}
          onChange={(forward_query) => set({ forward_query })}
          label={t('links.field.forwardQuery')}
          hint={t('links.hint.forwardQuery')}
        />
        <Paths draft={draft} set={set} />
      </>
    )
  },
}

/** When the link redirects. */
const SCHEDULE: FormSection = {
  title: 'links.section.schedule',
  fields: ['starts_at', 'expires_at'],
  Fields({ draft, set, problems }) {
    const { t } = useI18n()
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
    return (
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={t('links.field.startsAt')}
          error={problems.starts_at}
          type="datetime-local"
          value={draft.starts_at}
          onChange={(starts_at) => set({ starts_at })}
        />
        <TextField
          label={t('links.field.expiresAt')}
          error={problems.expires_at}
          type="datetime-local"
          value={draft.expires_at}
          onChange={(expires_at) => set({ expires_at })}
        />
        <p className="text-faint text-xs sm:col-span-2">{t('links.hint.zone', { zone })}</p>
      </div>
    )
  },
}

/** Password, limit of clicks, and fallback. */
const LIMITS: FormSection = {
  title: 'links.section.limits',
  fields: ['password', 'max_clicks', 'fallback_url'],
  Fields({ draft, set, problems, hasPassword }) {
    const { t } = useI18n()
    return (
      <>
        <PasswordField
          value={draft.password}
          onChange={(password) => set({ password })}
          hasPassword={hasPassword}
          error={problems.password}
        />
        <TextField
          label={t('links.field.maxClicks')}
          hint={t('links.hint.maxClicks')}
          error={problems.max_clicks}
          inputMode="numeric"
          value={draft.max_clicks}
          onChange={(max_clicks) => set({ max_clicks })}
        />
        <TextField
          label={t('links.field.fallback')}
          hint={t('links.hint.fallback')}
          error={problems.fallback_url}
          type="url"
          dir="ltr"
          placeholder="https://"
          value={draft.fallback_url}
          onChange={(fallback_url) => set({ fallback_url })}
        />
      </>
    )
  },
}

/** What few links have. */
const DETAILS: FormSection = {
  title: 'links.section.details',
  fields: ['notes', 'external_id', 'slug_style'],
  Fields({ draft, set, problems, isNew }) {
    const { t } = useI18n()
    return (
      <>
        <TextareaField
          label={t('links.field.notes')}
          hint={t('links.hint.notes')}
          error={problems.notes}
          dir="auto"
          value={draft.notes}
          onChange={(notes) => set({ notes })}
        />
        <TextField
          label={t('links.field.externalId')}
          hint={t('links.hint.externalId')}
          error={problems.external_id}
          value={draft.external_id}
          onChange={(external_id) => set({ external_id })}
        />
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
  },
}

/** How much of clicks is stored. */
const TRACKING: FormSection = {
  title: 'links.section.tracking',
  fields: ['tracking'],
  Fields({ draft, set, problems }) {
    const { t } = useI18n()
    return (
      <SelectField
        label={t('links.field.tracking')}
        hint={t(`links.hint.tracking.${draft.tracking}`)}
        error={problems.tracking}
        value={draft.tracking}
        onChange={(tracking) => set({ tracking })}
        options={(['full', 'count', 'none'] as const).map((value) => ({
          value,
          label: t(`links.tracking.${value}`),
        }))}
      />
    )
  },
}

/** The sections below the fields that every link has, in order. */
export const SECTIONS: readonly FormSection[] = [
  UTM,
  RULES,
  SPLIT,
  REDIRECT,
  SCHEDULE,
  LIMITS,
  SOCIAL,
  DETAILS,
  TRACKING,
]
