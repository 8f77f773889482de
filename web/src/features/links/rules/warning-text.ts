import type { I18n } from '../../../i18n/index.tsx'
import { type Rule, ruleName } from './text.ts'

/** A warning of the API, with the names of rules instead of their paths. */
export function warningText(message: string, rules: readonly Rule[], i18n: I18n): string {
  return message.replace(
    /rules\[(\d+)\]/g,
    (_, at: string) => `“${ruleName(rules[Number(at)]?.name, Number(at), i18n)}”`,
  )
}
