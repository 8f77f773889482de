import { useI18n } from '../../../../i18n/index.tsx'
import { Button } from '../../../../ui/button.tsx'
import { newSplit } from '../rules/draft.ts'
import { SplitEditor } from '../rules/split.tsx'
import type { FormSection } from './section.tsx'

/** Several destinations instead of one. */
export const SPLIT: FormSection = {
  title: 'rules.split',
  fields: ['variants'],
  Fields({ draft, set, problems, warnings }) {
    const { t } = useI18n()
    const { variants, destination_url } = draft
    return (
      <>
        <p className="text-faint text-xs">{t('rules.split.own')}</p>
        {variants.length === 0 ? (
          <Button
            size="sm"
            className="self-start"
            onClick={() => set({ variants: newSplit(destination_url) })}
          >
            {t('rules.split.start')}
          </Button>
        ) : (
          <>
            <SplitEditor
              variants={variants}
              onChange={(next) => set({ variants: next })}
              path="variants"
              problems={problems}
              warnings={warnings}
            />
            <Button
              size="sm"
              variant="ghost"
              className="self-start"
              onClick={() => set({ variants: [] })}
            >
              {t('rules.split.remove')}
            </Button>
          </>
        )}
      </>
    )
  },
}
