import { MEMBERS } from '@src/redirect/rules/types.ts'
import { useRef } from 'react'
import { useI18n } from '../../../../i18n/index.tsx'
import { Combobox } from '../../../../ui/combobox.tsx'
import { type ConditionName, memberName, partsOf } from '../../rules/text.ts'
import { Condition, newValue } from './condition.tsx'
import type { WhenDraft } from './draft.ts'
import { focusSoon } from './focus.ts'
import type { Marks } from './marks.ts'

/** Goes on to the value of the condition that was added last: a list opens, a field gets the focus. */
function beginValue(conditions: HTMLElement | null): void {
  const value = [...(conditions?.querySelectorAll('[data-condition-value]') ?? [])].at(-1)
  const [control, ...others] = value?.querySelectorAll<HTMLElement>('input, button') ?? []
  control?.focus()
  if (control?.role === 'combobox' && others.length === 0) control.click()
}

/** The conditions of a rule, all of which must hold. */
export function Conditions({
  when,
  onChange,
  path,
  problems,
}: {
  when: WhenDraft
  onChange: (when: WhenDraft) => void
  path: string
  problems: Marks
}) {
  const i18n = useI18n()
  const { t } = i18n
  const root = useRef<HTMLDivElement>(null)
  const entries = Object.entries(when) as [ConditionName, unknown][]
  const set = (next: readonly (readonly [ConditionName, unknown])[]) =>
    onChange(Object.fromEntries(next) as WhenDraft)
  // A member can be used twice: plain and negated.
  const free = MEMBERS.flatMap((member) => {
    const name = [member, `not_${member}` as const].find((one) => when[one] === undefined)
    return name === undefined ? [] : [{ value: name, label: memberName(member, i18n) }]
  })
  const remove = (name: ConditionName, button: Element | null) => {
    const rule = button?.closest('[data-rule]')
    set(entries.filter(([other]) => other !== name))
    focusSoon(() => rule?.querySelector('[data-add-condition] button'))
  }
  return (
    <div ref={root} className="flex flex-col gap-3">
      <h3 className="font-medium text-sm">{t('rules.conditions')}</h3>
      {entries.length === 0 ? <p className="text-sm">{t('rules.always')}</p> : null}
      {entries.map(([name, value], i) => {
        const { member, not } = partsOf(name)
        const opposite = not ? member : (`not_${member}` as const)
        return (
          <div key={name} data-condition={name} className="rounded-sm bg-sunken p-2.5">
            <Condition
              name={name}
              value={value}
              path={`${path}.${name}`}
              problems={problems}
              canTurn={when[opposite] === undefined}
              onChange={(next) => set(entries.with(i, [name, next]))}
              onTurn={() => set(entries.with(i, [opposite, value]))}
              onRemove={() => remove(name, document.activeElement)}
            />
          </div>
        )
      })}
      <div data-add-condition className="flex">
        <Combobox
          label={t('rules.addCondition')}
          placeholder={t('rules.addCondition')}
          value=""
          onChange={(name) => {
            const { member } = partsOf(name as ConditionName)
            set([...entries, [name as ConditionName, newValue(member)]])
          }}
          onChosen={() => beginValue(root.current)}
          options={free}
        />
      </div>
    </div>
  )
}
