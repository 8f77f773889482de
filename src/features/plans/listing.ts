import { hasMessage, type Locale, translate } from '../../lib/i18n/index.ts'
import type { Plan } from '../../model/plans/types.ts'

/** A plan as the API lists it, with its texts in `locale`. */
export function listPlan(plan: Plan, locale: Locale) {
  const { id, price, limits, features } = plan
  return {
    id,
    name: wordsOf(plan.name, `plan.${id}.name`, locale) ?? id,
    description: wordsOf(plan.description, `plan.${id}.description`, locale),
    price,
    limits,
    features: [...features],
    default: plan.default,
  }
}

/** The operator's text, or else the catalogue's message. */
function wordsOf(own: Plan['name'], key: string, locale: Locale): string | null {
  if (typeof own === 'string') return own
  if (own === undefined) return hasMessage(key) ? translate(locale, key) : null
  const [language] = locale.split('-') as [string]
  return own[locale] ?? own[language] ?? own.en ?? Object.values(own)[0] ?? null
}
