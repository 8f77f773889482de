import { Trash2 } from 'lucide-react'
import { useI18n } from '../../../../i18n/index.tsx'
import { IconButton } from '../../../../ui/button.tsx'
import { Combobox } from '../../../../ui/combobox.tsx'
import { Input } from '../../../../ui/input.tsx'
import type { When } from '../../rules/text.ts'
import { BROWSERS, SYSTEMS } from './choices.ts'

type Named = NonNullable<When['os']>[number]

/** Systems or browsers, each with an optional minimum version. */
export function NamedInput({
  member,
  value,
  onChange,
  invalid,
  isWrong,
}: {
  member: 'os' | 'browser'
  value: readonly Named[]
  onChange: (value: Named[]) => void
  invalid: boolean
  isWrong: (value: Named) => boolean
}) {
  const { t } = useI18n()
  const add = t(member === 'os' ? 'rules.addOs' : 'rules.addBrowser')
  const known = new Set(value.map((one) => nameOf(one).toLowerCase()))
  return (
    <div className="flex flex-col items-start gap-2">
      {value.map((one, i) => {
        const name = nameOf(one)
        const version = t('rules.minVersion')
        return (
          <div key={name} className="flex w-full items-center gap-2">
            <bdi className="min-w-0 flex-1 [overflow-wrap:anywhere]">{name}</bdi>
            <Input
              aria-label={`${name}: ${version}`}
              aria-invalid={isWrong(one) || undefined}
              className="w-36!"
              dir="auto"
              inputMode="decimal"
              placeholder={version}
              value={typeof one === 'string' ? '' : (one.min ?? '')}
              onChange={({ target }) => {
                const min = target.value.trim()
                onChange(value.with(i, min === '' ? name : { name, min }))
              }}
            />
            <IconButton
              label={t('rules.remove', { name })}
              icon={<Trash2 />}
              onClick={() => onChange(value.filter((other) => other !== one))}
            />
          </div>
        )
      })}
      <Combobox
        label={add}
        placeholder={add}
        value=""
        invalid={invalid}
        custom={member === 'browser'}
        onChange={(name) => onChange([...value, name])}
        options={(member === 'os' ? SYSTEMS : BROWSERS)
          .filter((name) => !known.has(name.toLowerCase()))
          .map((name) => ({ value: name, label: name }))}
      />
    </div>
  )
}

const nameOf = (named: Named) => (typeof named === 'string' ? named : named.name)
