import { Plus, Trash2 } from 'lucide-react'
import { useI18n } from '../../../../i18n/index.tsx'
import { Button, IconButton } from '../../../../ui/button.tsx'
import { Field } from '../../../../ui/field.tsx'
import { Input } from '../../../../ui/input.tsx'
import { Select } from '../../../../ui/select.tsx'
import type { Parameter } from './draft.ts'
import { ListInput } from './values.tsx'

const HOWS = ['values', 'any', 'absent'] as const satisfies readonly Parameter['how'][]

export const NEW_PARAMETER: Parameter = { name: '', how: 'values', values: [] }

/** Query parameters that a visit must have or lack. */
export function ParametersInput({
  value,
  onChange,
  isWrong,
}: {
  value: readonly Parameter[]
  onChange: (value: Parameter[]) => void
  /** Whether a parameter has a fault, by name. */
  isWrong: (name: string) => boolean
}) {
  const { t } = useI18n()
  return (
    <div className="flex flex-col gap-3">
      {value.map((parameter, i) => {
        const { name, how, values } = parameter
        const change = (fields: Partial<Parameter>) =>
          onChange(value.with(i, { ...parameter, ...fields }))
        const wrong = isWrong(name) || undefined
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the name is being typed
          <div key={i} className="flex flex-col gap-2">
            <div className="flex items-center gap-2">
              <Input
                dir="ltr"
                aria-label={t('rules.query.name')}
                aria-invalid={wrong}
                placeholder={t('rules.query.name')}
                className="flex-1"
                value={name}
                onChange={({ target }) => change({ name: target.value })}
              />
              {value.length > 1 ? (
                <IconButton
                  label={t('rules.remove', { name })}
                  icon={<Trash2 />}
                  onClick={() => onChange(value.filter((_, other) => other !== i))}
                />
              ) : null}
            </div>
            <Select
              label={t('rules.query.how')}
              value={how}
              onChange={(next) => change({ how: next })}
              options={HOWS.map((one) => ({ value: one, label: t(`rules.query.${one}`) }))}
            />
            {how === 'values' ? (
              <Field label={t('rules.query.list')} hideLabel hint={t('rules.hint.values')}>
                {(control) => (
                  <ListInput
                    control={{ ...control, 'aria-invalid': wrong }}
                    value={values}
                    onChange={(next) => change({ values: next })}
                    withCommas
                  />
                )}
              </Field>
            ) : null}
          </div>
        )
      })}
      <Button
        size="sm"
        className="self-start"
        icon={<Plus />}
        onClick={() => onChange([...value, NEW_PARAMETER])}
      >
        {t('rules.query.add')}
      </Button>
    </div>
  )
}
