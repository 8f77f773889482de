import { useI18n } from '../../../../i18n/index.tsx'
import { SelectField } from '../../../../ui/select.tsx'
import { Switch } from '../../../../ui/switch.tsx'
import { Paths } from './paths.tsx'
import type { FormSection, SectionProps } from './section.tsx'

/** How visitors are redirected. */
export const REDIRECT: FormSection = {
  title: 'links.section.redirect',
  fields: ['redirect_status', 'forward_query', 'match', 'forward_path'],
  Fields,
}

function Fields({ draft, set, problems }: SectionProps) {
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
}
