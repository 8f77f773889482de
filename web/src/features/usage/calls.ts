import { queryOptions } from '@tanstack/react-query'
import { request } from '../../api/client.ts'

/** What a plan limits. */
export const LIMITS = [
  'links',
  'addresses',
  'api_keys',
  'members',
  'domains',
  'requests_per_minute',
  'burst',
  'clicks_per_month',
  'analytics_retention_days',
] as const
export type Limit = (typeof LIMITS)[number]

export interface Plan {
  id: string
  name: string
  description: string
  price: { amount: number | null; currency: string; interval: 'month' | 'year' }
  /** Null: no limit. */
  limits: Record<Limit, number | null>
  features: string[]
  default: boolean
}

/** Of what the number in use is known. */
export const COUNTED = [
  'links',
  'addresses',
  'api_keys',
  'members',
  'domains',
  'clicks_per_month',
] as const

export interface Usage {
  plan: Plan
  used: Record<(typeof COUNTED)[number], number>
  /** Those that `used.members` counts too. */
  open_invitations: number
  /** The last hour, oldest first. */
  requests: { minute: string; allowed: number; limited: number }[]
}

export const usageQuery = (workspace: string) =>
  queryOptions({
    queryKey: [workspace, 'usage'],
    queryFn: ({ signal }) => request<Usage>('GET', '/api/v1/usage', { signal }),
    refetchInterval: 60_000,
  })

export const plansQuery = queryOptions({
  queryKey: ['plans'],
  queryFn: async ({ signal }) =>
    (await request<{ data: Plan[] }>('GET', '/api/v1/plans', { signal })).data,
  staleTime: 300_000,
})
