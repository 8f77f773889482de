import { ANSWERS, type RuleAnswer } from '@src/redirect/rules/types.ts'
import { useI18n } from '../../../../i18n/index.tsx'
import { SelectField } from '../../../../ui/select.tsx'
import { TextField } from '../../../../ui/text-field.tsx'
import { newSplit, type ThenDraft } from './draft.ts'
import type { Marks } from './marks.ts'
import { SplitEditor } from './split.tsx'

type Choice = 'destination_url' | 'variants' | RuleAnswer

/** The outcome of a rule. */
export function Outcome({
  then,
  onChange,
  path,
  problems,
  warnings,
}: {
  then: ThenDraft
  onChange: (then: ThenDraft) => void
  path: string
  problems: Marks
  warnings: Marks
}) {
  const { t } = useI18n()
  const { kind, variants, destination_url } = then
  const choose = (choice: Choice) => {
    if (choice === 'destination_url') onChange({ ...then, kind: choice })
    else if (choice === 'variants') {
      const split = variants.length > 0 ? variants : newSplit(destination_url)
      onChange({ ...then, kind: choice, variants: split })
    } else onChange({ ...then, kind: 'answer', answer: choice })
  }
  const isAnswer = kind === 'answer'
  return (
    <div className="flex flex-col gap-3">
      <SelectField
        label={t('rules.then')}
        hint={isAnswer ? t('rules.answer.hint') : undefined}
        error={isAnswer ? (problems[path] ?? problems[`${path}.answer`]) : undefined}
        value={isAnswer ? then.answer : kind}
        onChange={choose}
        options={[
          { value: 'destination_url', label: t('links.field.destination') },
          { value: 'variants', label: t('rules.split') },
          ...ANSWERS.map((value) => ({ value, label: t(`rules.answer.${value}`) })),
        ]}
      />
      {kind === 'destination_url' ? (
        <TextField
          label={t('links.field.destination')}
          hideLabel
          error={problems[`${path}.destination_url`] ?? problems[path]}
          data-destination
          type="url"
          dir="ltr"
          placeholder="https://"
          value={destination_url}
          onChange={(destination_url) => onChange({ ...then, destination_url })}
        />
      ) : null}
      {kind === 'variants' ? (
        <SplitEditor
          variants={variants}
          onChange={(next) => onChange({ ...then, variants: next })}
          path={`${path}.variants`}
          problems={problems}
          warnings={warnings}
        />
      ) : null}
    </div>
  )
}
