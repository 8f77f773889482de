import { RULE_BOUNDS } from '@src/redirect/rules/types.ts'
import { Plus } from 'lucide-react'
import { useRef, useState } from 'react'
import { useI18n } from '../../../../i18n/index.tsx'
import { Button } from '../../../../ui/button.tsx'
import { FormError } from '../../../../ui/field.tsx'
import { ruleName } from '../../rules/text.ts'
import { newRule, type RuleDraft, withoutIds } from './draft.ts'
import { focusSoon } from './focus.ts'
import { type Marks, messagesWithin } from './marks.ts'
import { RuleCard } from './rule-card.tsx'

/** The rules of a link, in the order of evaluation. */
export function RulesEditor({
  rules,
  onChange,
  problems,
  warnings,
}: {
  rules: readonly RuleDraft[]
  onChange: (rules: RuleDraft[]) => void
  problems: Marks
  warnings: Marks
}) {
  const i18n = useI18n()
  const { t } = i18n
  const list = useRef<HTMLOListElement>(null)
  const folds = useFolds(problems, warnings)
  const [moved, setMoved] = useState('')

  const focusIn = (key: string, selector: string) =>
    focusSoon(() =>
      list.current?.querySelector<HTMLElement>(`[data-rule="${CSS.escape(key)}"] ${selector}`),
    )
  const add = (made: readonly RuleDraft[], at: number, selector: string) => {
    onChange(rules.toSpliced(at, 0, ...made))
    folds.open(made.map(({ key }) => key))
    focusIn(made[0]?.key ?? '', selector)
  }
  const move = (from: number, to: number, focused: HTMLElement) => {
    const rule = rules[from] as RuleDraft
    onChange(rules.toSpliced(from, 1).toSpliced(to, 0, rule))
    const name = ruleName(rule.name, from, i18n)
    setMoved(t('rules.moved', { name, place: to + 1, total: rules.length }))
    // Moving an element in the document loses the focus.
    focusSoon(() => focused)
  }
  const remove = (at: number) => {
    onChange(rules.toSpliced(at, 1))
    const next = rules[at + 1] ?? rules[at - 1]
    if (next) focusIn(next.key, 'button')
    else focusSoon(() => list.current?.parentElement?.querySelector('[data-add-rule]'))
  }
  const isDeeper = Object.keys(problems).some((place) => place.startsWith('rules['))
  const isFull = rules.length >= RULE_BOUNDS.rules
  return (
    <div className="flex flex-col gap-3">
      <p className="text-faint text-xs">{t('rules.hint')}</p>
      <ol ref={list} className="flex flex-col gap-2 empty:hidden">
        {rules.map((rule, i) => (
          <RuleCard
            key={rule.key}
            rule={rule}
            title={ruleName(rule.name, i, i18n)}
            path={pathOf(rule.key)}
            problems={problems}
            warnings={warnings}
            open={folds.isOpen(rule.key)}
            onOpen={(open) => folds.set(rule.key, open)}
            onChange={(fields) => onChange(rules.with(i, { ...rule, ...fields }))}
            onUp={i > 0 ? (focused) => move(i, i - 1, focused) : undefined}
            onDown={i + 1 < rules.length ? (focused) => move(i, i + 1, focused) : undefined}
            onDuplicate={() => isFull || add(withoutIds([rule]), i + 1, '[data-name]')}
            onRemove={() => remove(i)}
          />
        ))}
      </ol>
      <div className="flex flex-wrap gap-2">
        <Button
          size="sm"
          data-add-rule
          icon={<Plus />}
          disabled={isFull}
          onClick={() => add([newRule()], rules.length, '[data-name]')}
        >
          {t('rules.add')}
        </Button>
        {PHONES.map(({ names, os }) => {
          const name = i18n.format.list(names)
          return (
            <Button
              key={name}
              size="sm"
              variant="ghost"
              icon={<Plus />}
              aria-label={t('common.labelled', { label: t('rules.add'), value: name })}
              disabled={isFull}
              onClick={() =>
                add([newRule(name, { os: [...os] })], rules.length, '[data-destination]')
              }
            >
              {name}
            </Button>
          )
        })}
      </div>
      <FormError message={isDeeper ? null : problems.rules} />
      <p role="status" className="sr-only">
        {moved}
      </p>
    </div>
  )
}

const pathOf = (key: string) => `rules[${key}]`

/** Most rules are about phones, such as to their app store: these need only a destination. */
const PHONES = [
  { names: ['iPhone', 'iPad'], os: ['iOS', 'iPadOS'] },
  { names: ['Android'], os: ['Android'] },
] as const

/** Which rules are expanded: those opened by the person, and those with messages. */
function useFolds(problems: Marks, warnings: Marks) {
  const [chosen, setChosen] = useState<Readonly<Record<string, { open: boolean; by: Marks }>>>({})
  const has = (marks: Marks, key: string) => messagesWithin(marks, pathOf(key)).length > 0
  const choose = (keys: readonly string[], open: boolean) => {
    const fresh = keys.map((key) => [key, { open, by: problems }] as const)
    setChosen((before) => ({ ...before, ...Object.fromEntries(fresh) }))
  }
  return {
    isOpen(key: string): boolean {
      const choice = chosen[key]
      // A collapsed rule is expanded when it gets a fault.
      if (choice && (choice.by === problems || !has(problems, key))) return choice.open
      return has(problems, key) || has(warnings, key)
    },
    set: (key: string, open: boolean) => choose([key], open),
    open: (keys: readonly string[]) => choose(keys, true),
  }
}
