import { AGENT_KINDS, DEVICES, type Member } from '@src/redirect/rules/types.ts'
import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { useI18n } from '../../../../i18n/index.tsx'
import { IconButton } from '../../../../ui/button.tsx'
import { Select } from '../../../../ui/select.tsx'
import { Toggles } from '../../../../ui/toggles.tsx'
import { type ConditionName, memberName, partsOf, type When, wordOf } from '../../rules/text.ts'
import type { Parameter } from './draft.ts'
import { itemPath, type Marks, messagesOfList, messagesWithin } from './marks.ts'
import { NamedInput } from './named.tsx'
import { NEW_PARAMETER, ParametersInput } from './parameters.tsx'
import { newWindow, TimeInput, type Window } from './time.tsx'
import { CodesInput, TypedInput } from './values.tsx'

/** The initial value of a condition. */
export function newValue(member: Member): unknown {
  if (member === 'query') return [NEW_PARAMETER]
  return member === 'time' ? newWindow() : []
}

/** One member of a rule's `when`. */
export function Condition({
  name,
  value,
  path,
  problems,
  canTurn,
  onChange,
  onTurn,
  onRemove,
}: {
  name: ConditionName
  value: unknown
  path: string
  problems: Marks
  /** Whether the opposite isn't a condition of the rule already. */
  canTurn: boolean
  onChange: (value: unknown) => void
  /** Switches between "is" and "is not". */
  onTurn: () => void
  onRemove: () => void
}) {
  const i18n = useI18n()
  const { t } = i18n
  const { member, not } = partsOf(name)
  const what = memberName(member, i18n)
  const isList = member !== 'query' && member !== 'time'
  const said = isList
    ? messagesOfList(problems, path, [value].flat())
    : messagesWithin(problems, path)
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="sr-only">{what}</legend>
      <div className="flex flex-wrap items-center gap-2">
        <span aria-hidden="true" className="font-medium text-sm">
          {what}
        </span>
        <Select
          compact
          label={what}
          value={not ? 'not' : 'is'}
          onChange={(next) => (next === 'not') !== not && onTurn()}
          disabled={!canTurn}
          options={[
            { value: 'is', label: t('rules.is') },
            { value: 'not', label: t('rules.isNot') },
          ]}
        />
        <IconButton
          size="sm"
          className="ms-auto"
          label={t('rules.remove', { name: what })}
          icon={<X />}
          onClick={onRemove}
        />
      </div>
      <div data-condition-value>
        <ValueInput
          member={member}
          value={value}
          onChange={onChange}
          path={path}
          problems={problems}
          invalid={said.length > 0}
        />
      </div>
      {said.map((message) => (
        <p key={message} role="status" className="text-bad text-sm">
          {message}
        </p>
      ))}
    </fieldset>
  )
}

interface InputProps {
  member: Member
  value: unknown
  onChange: (value: unknown) => void
  path: string
  problems: Marks
  invalid: boolean
}

function ValueInput({ member, value, onChange, path, problems, invalid }: InputProps): ReactNode {
  const i18n = useI18n()
  const isWrong = (one: unknown) => messagesWithin(problems, itemPath(path, one)).length > 0
  const list = { onChange, invalid, isWrong }
  switch (member) {
    case 'country':
    case 'language':
      return <CodesInput {...list} member={member} value={value as string[]} />
    case 'region':
    case 'referrer_host':
    case 'network':
      return <TypedInput {...list} member={member} value={value as string[]} />
    case 'os':
    case 'browser':
      return <NamedInput {...list} member={member} value={value as NonNullable<When['os']>} />
    case 'query':
      return (
        <ParametersInput
          value={value as Parameter[]}
          onChange={onChange}
          isWrong={(name) => messagesWithin(problems, `${path}.${name}`).length > 0}
        />
      )
    case 'time':
      return <TimeInput value={value as Window} onChange={onChange} invalid={invalid} />
    default:
      return (
        <Toggles
          label={memberName(member, i18n)}
          value={[value].flat() as string[]}
          onChange={onChange}
          invalid={invalid}
          options={(member === 'device' ? DEVICES : AGENT_KINDS).map((one) => ({
            value: one as string,
            label: wordOf(member, one, i18n),
          }))}
        />
      )
  }
}
