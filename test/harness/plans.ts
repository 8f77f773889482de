import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UNLIMITED } from '../../src/model/plans/types.ts'

/** Limits that differ from "unlimited". */
export type Limits = Partial<
  Record<
    | 'requests_per_minute'
    | 'burst'
    | 'links'
    | 'addresses'
    | 'api_keys'
    | 'clicks_per_month'
    | 'analytics_retention_days',
    number
  >
>

/** Writes a plans file for `SLUGLINE_PLANS`; the first plan is the default. Returns its path. */
export function writePlans(plans: Record<string, Limits>): string {
  const file = join(mkdtempSync(join(tmpdir(), 'slugline-plans-')), 'plans.json')
  const written = Object.entries(plans).map(([id, limits], i) => ({
    id,
    name: id,
    description: id,
    price: { amount: 0, currency: 'EUR', interval: 'month' },
    limits: { ...UNLIMITED, ...limits },
    features: [],
    default: i === 0,
  }))
  writeFileSync(file, JSON.stringify({ plans: written }))
  return file
}
