import { useI18n } from '../../../../i18n/index.tsx'
import { SelectField } from '../../../../ui/select.tsx'
import type { FormSection, SectionProps } from './section.tsx'

/** How much of clicks is stored. */
export const TRACKING: FormSection = {
  title: 'links.section.tracking',
  fields: ['tracking'],
  Fields,
}

function Fields({ draft, set, problems }: SectionProps) {
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
}
