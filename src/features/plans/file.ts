import { z } from 'zod'
import type { Plan } from '../../model/plans/types.ts'

/** A fault of a plans file. */
interface PlanFault {
  /** Like `plans[1].limits.links`. */
  path: string
  problem: string
}

const wholeNumber = (least: number) =>
  z
    .int({ error: 'must be a whole number, or null for unlimited' })
    .min(least, { error: `must be at least ${least}, or null for unlimited` })
    .nullable()

/** A limit: a whole number, or null (the default) for unlimited. */
const limit = (least: number) => wholeNumber(least).default(null)

/** The addresses per link of a plan that sets no limit of addresses. */
const ADDRESSES_PER_LINK = 3

const words = z.union([z.string().min(1), z.record(z.string(), z.string().min(1))], {
  error: 'must be a text, or an object of texts by language, like {"en":"Team","de":"Team"}',
})

const plan = z.strictObject({
  id: z.string({ error: 'must be a text' }).regex(/^[a-z0-9][a-z0-9_-]{0,31}$/, {
    error: 'must be 1 to 32 of a-z, 0-9, "-" and "_", like "team"',
  }),
  name: words.optional(),
  description: words.optional(),
  price: z
    .strictObject({
      amount: z
        .int({ error: 'must be a whole number of minor units (cents), or null' })
        .min(0, { error: 'must not be negative' })
        .nullable(),
      currency: z.string().regex(/^[A-Z]{3}$/, { error: 'must be an ISO 4217 code, like "EUR"' }),
      interval: z.enum(['month', 'year'], { error: 'must be "month" or "year"' }),
    })
    .default({ amount: null, currency: 'EUR', interval: 'month' }),
  limits: z
    .strictObject({
      requests_per_minute: limit(1),
      burst: limit(1),
      links: limit(0),
      addresses: wholeNumber(0).optional(),
      api_keys: limit(1),
      members: limit(1),
      domains: limit(0),
      clicks_per_month: limit(0),
      analytics_retention_days: limit(1),
    })
    .refine((limits) => limits.requests_per_minute !== null || limits.burst === null, {
      path: ['burst'],
      error: 'needs requests_per_minute: without a rate there is no burst',
    }),
  features: z
    .array(
      z.string({ error: 'must be a text' }).regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, {
        error: 'must be an id of a-z, 0-9, "_" and "-", like "custom_slugs"',
      }),
      { error: 'must be a list of ids' },
    )
    .default([]),
  default: z.boolean({ error: 'must be true or false' }).default(false),
})

/** A plan with a rate but no burst gets a minute's worth as burst. */
function asPlan({ limits, ...rest }: z.infer<typeof plan>): Plan {
  const { links, burst, addresses = links === null ? null : links * ADDRESSES_PER_LINK } = limits
  return {
    ...rest,
    limits: { ...limits, addresses, burst: burst ?? limits.requests_per_minute },
  }
}

const plans = z
  .array(plan.transform(asPlan), { error: 'must be a list of plans' })
  .superRefine((all, context) => {
    for (const [index, { id }] of all.entries()) {
      const first = all.findIndex((other) => other.id === id)
      if (first === index) continue
      const message = `must be unique: ${JSON.stringify(id)} is that of plans[${first}]`
      context.addIssue({ code: 'custom', path: [index, 'id'], message })
    }
    const defaults = all.filter((candidate) => candidate.default).length
    if (defaults === 1) return
    const message = `must have exactly one plan with "default": true, and ${defaults} have it`
    context.addIssue({ code: 'custom', message })
  })

const file = z.strictObject({ plans })

/** Parses a plans file, and reports all of its faults. */
export function parsePlans(text: string): { plans: Plan[] } | { faults: PlanFault[] } {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    return { faults: [{ path: '', problem: `is not JSON: ${(error as Error).message}` }] }
  }
  const { data, error } = file.safeParse(json)
  return error === undefined ? data : { faults: error.issues.map(asFault) }
}

function asFault(issue: z.core.$ZodIssue): PlanFault {
  const path = issue.path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '')
  const problem =
    issue.code === 'unrecognized_keys'
      ? `has the unknown ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}`
      : issue.message
  return { path, problem }
}
