import type { ReactNode } from 'react'
import { useI18n } from '../../../i18n/index.tsx'
import { Section } from '../../../ui/page.tsx'
import { Parts } from '../../../ui/parts.tsx'
import { Place } from '../place.tsx'
import type { Link } from '../queries.ts'
import { useWarnings } from '../warnings.ts'
import { type Rule, ruleName, sharesOf, whenTexts } from './text.ts'
import { warningText } from './warning-text.ts'

/** The rules of a link in order, and the destination of everyone else. */
export function RuleList({ link }: { link: Link }) {
  const i18n = useI18n()
  const { t } = i18n
  const warnings = useWarnings(link)
  const { rules, variants, destination_url } = link
  if (rules.length === 0 && variants.length === 0) return null
  const warningsOf = (path: string) =>
    warnings
      .filter(({ field }) => field.startsWith(path))
      .map(({ message }) => warningText(message, rules, i18n))
  return (
    <Section title={t(rules.length > 0 ? 'links.field.rules' : 'rules.split')}>
      <ol className="flex flex-col rounded-md border border-line">
        {rules.map((rule, i) => (
          <Line
            // A new one has no id yet.
            key={rule.id ?? i}
            title={ruleName(rule.name, i, i18n)}
            when={rule.when}
            then={rule.then}
            warnings={warningsOf(`rules[${i}]`)}
          />
        ))}
        <Line
          title={rules.length > 0 ? t('rules.summary.rest') : null}
          then={variants.length > 0 ? { variants } : { destination_url }}
          warnings={warningsOf('variants')}
        />
      </ol>
    </Section>
  )
}

function Line({
  title,
  when,
  then,
  warnings,
}: {
  title: string | null
  when?: Rule['when']
  then: Rule['then']
  warnings: readonly string[]
}) {
  const i18n = useI18n()
  return (
    <li className="grid gap-x-6 gap-y-1 border-line border-b px-4 py-3 last:border-0 sm:grid-cols-2">
      {title === null ? null : (
        <div className="flex min-w-0 flex-col gap-0.5 [overflow-wrap:anywhere]">
          <span className="font-medium">
            <bdi>{title}</bdi>
          </span>
          {when === undefined ? null : (
            <span className="text-muted text-sm">
              <Parts>{whenTexts(when, i18n)}</Parts>
            </span>
          )}
        </div>
      )}
      <div className="flex min-w-0 gap-2">
        <span aria-hidden="true" className="text-faint rtl:-scale-x-100">
          →
        </span>
        <Outcome then={then} />
      </div>
      {warnings.map((message) => (
        <p key={message} className="text-sm text-warn sm:col-span-2">
          {message}
        </p>
      ))}
    </li>
  )
}

function Outcome({ then }: { then: Rule['then'] }): ReactNode {
  const { t, format } = useI18n()
  const { answer, destination_url, variants = [] } = then
  if (answer !== undefined) return t(`rules.answer.${answer}`)
  if (destination_url !== undefined) {
    return (
      <span className="min-w-0 [overflow-wrap:anywhere]">
        <Place url={destination_url} />
      </span>
    )
  }
  const shares = sharesOf(variants.map(({ weight }) => weight))
  return (
    <ul className="flex min-w-0 flex-col gap-1">
      {variants.map(({ id, name, destination_url: url }, i) => (
        <li key={id ?? i} className="flex min-w-0 gap-3">
          <span className="w-14 shrink-0 text-end text-muted tabular-nums">
            {format.percent(shares[i] ?? 0)}
          </span>
          <span className="flex min-w-0 flex-col [overflow-wrap:anywhere]">
            {name ? (
              <span>
                <bdi>{name}</bdi>
              </span>
            ) : null}
            <Place url={url} />
          </span>
        </li>
      ))}
    </ul>
  )
}
