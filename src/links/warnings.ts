import { z } from '@hono/zod-openapi'
import { type Locale, translate } from '../i18n/index.ts'
import { shadowedRules } from '../rules/index.ts'
import type { Link } from './schemas.ts'

/** What was accepted, but is probably not meant. */
const WarningSchema = z
  .object({
    field: z.string(),
    code: z.enum(['SHADOWED_RULE', 'EXPIRES_IN_PAST', 'NEGLIGIBLE_WEIGHT']),
    message: z.string(),
  })
  .openapi('Warning')
type Warning = z.output<typeof WarningSchema>

/** The member of what a write answers. */
export const WARNINGS = z.array(WarningSchema).optional().openapi({
  description:
    'Of the answer to a write: what is probably not meant. Absent where there is nothing.',
})

/** A share below this is one visitor in a thousand. */
const SHARE_MIN = 0.001

/** A link as a write answers it. */
export function withWarnings(link: Link, now: number, locale: Locale): Link {
  const warnings: Warning[] = []
  const warn = (field: string, code: Warning['code'], params = {}) =>
    warnings.push({ field, code, message: translate(locale, `warning.${code}`, params) })
  if (link.expires_at !== null && Date.parse(link.expires_at) <= now) {
    warn('expires_at', 'EXPIRES_IN_PAST')
  }
  for (const [at, by] of shadowedRules(link.rules)) {
    warn(`rules[${at}]`, 'SHADOWED_RULE', { other: `rules[${by}]` })
  }
  const splits = [['variants', link.variants] as const].concat(
    link.rules.map(({ then }, i) => [`rules[${i}].then.variants`, then.variants ?? []] as never),
  )
  for (const [field, variants] of splits) {
    const sum = variants.reduce((all, { weight }) => all + weight, 0)
    for (const [i, { weight }] of variants.entries()) {
      if (weight / sum < SHARE_MIN) warn(`${field}[${i}].weight`, 'NEGLIGIBLE_WEIGHT')
    }
  }
  return warnings.length === 0 ? link : { ...link, warnings }
}
