import type { Member } from '@src/redirect/rules/types.ts'
import { useMemo, useState } from 'react'
import { useI18n } from '../../../../i18n/index.tsx'
import type { MessageKey } from '../../../../i18n/messages.ts'
import { Chip } from '../../../../ui/chip.tsx'
import { ChipsInput } from '../../../../ui/chips-input.tsx'
import { Combobox } from '../../../../ui/combobox.tsx'
import { Field } from '../../../../ui/field.tsx'
import { memberName, wordOf } from '../../rules/text.ts'
import { codesOf } from './choices.ts'

interface Values {
  value: readonly string[]
  onChange: (value: string[]) => void
  /** Whether the list or one of the values has a fault. */
  invalid: boolean
  isWrong: (value: string) => boolean
}

/** Countries or languages, found by their names in the person's language. */
export function CodesInput({
  member,
  value,
  onChange,
  invalid,
  isWrong,
}: Values & { member: 'country' | 'language' }) {
  const i18n = useI18n()
  const { t } = i18n
  const options = useMemo(() => codesOf(member, i18n), [member, i18n])
  const add = t(member === 'country' ? 'rules.addCountry' : 'rules.addLanguage')
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      {value.map((code) => {
        const word = wordOf(member, code, i18n)
        return (
          <Chip
            key={code}
            tone={isWrong(code) ? 'bad' : 'neutral'}
            removeLabel={t('rules.remove', { name: word })}
            onRemove={() => onChange(value.filter((one) => one !== code))}
          >
            {word}
          </Chip>
        )
      })}
      <Combobox
        label={add}
        placeholder={add}
        value=""
        invalid={invalid}
        // Austrian German is a language, too.
        custom={member === 'language'}
        onChange={(code) => onChange([...value, code])}
        options={options.filter((option) => !value.includes(option.value))}
      />
    </div>
  )
}

const HINTS = {
  region: 'rules.hint.region',
  referrer_host: 'rules.hint.referrer_host',
  network: 'rules.hint.network',
} as const satisfies Partial<Record<Member, MessageKey>>

/** Values that are typed: hosts, networks, codes of regions. */
export function TypedInput({
  member,
  value,
  onChange,
  invalid,
  isWrong,
}: Values & { member: keyof typeof HINTS }) {
  const i18n = useI18n()
  return (
    <Field label={memberName(member, i18n)} hideLabel hint={i18n.t(HINTS[member])}>
      {(control) => (
        <ListInput
          control={{ ...control, 'aria-invalid': invalid || undefined }}
          value={value}
          onChange={onChange}
          isWrong={isWrong}
        />
      )}
    </Field>
  )
}

/** A list of unique words. */
export function ListInput({
  value,
  onChange,
  isWrong,
  withCommas = false,
  control,
}: Pick<Values, 'value' | 'onChange'> & {
  isWrong?: (value: string) => boolean
  withCommas?: boolean
  control: Parameters<typeof ChipsInput>[0]['control']
}) {
  const { t } = useI18n()
  const [text, setText] = useState('')
  const add = (typed: string) => {
    const words = (withCommas ? [typed.trim()] : typed.split(/[\s,]+/)).filter(Boolean)
    if (words.length > 0) onChange([...new Set([...value, ...words])])
    setText('')
  }
  return (
    <ChipsInput
      control={control}
      dir="ltr"
      value={value}
      text={text}
      onText={setText}
      onAdd={add}
      onRemove={(word) => onChange(value.filter((one) => one !== word))}
      removeLabel={(word) => t('rules.remove', { name: word })}
      withCommas={withCommas}
      {...(isWrong ? { isWrong } : {})}
    />
  )
}
