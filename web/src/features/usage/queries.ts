import { queryOptions } from '@tanstack/react-query'
import { api, ok, type Schemas } from '../../api/client.ts'
import { everyItem } from '../../api/every-item.ts'
import { workspaceKey } from '../../api/workspace-key.ts'

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

export type Plan = Schemas['Plan']

/** Limits whose current usage is known. */
export const COUNTED = [
  'links',
  'addresses',
  'api_keys',
  'members',
  'domains',
  'clicks_per_month',
] as const

export type Usage = Schemas['Usage']

export const usageQuery = (workspace: string) =>
  queryOptions({
    queryKey: workspaceKey(workspace, 'usage'),
    queryFn: ({ signal }) => ok(api.GET('/api/v1/usage', { signal })),
    refetchInterval: 60_000,
  })

export const plansQuery = queryOptions({
  queryKey: ['plans'],
  queryFn: ({ signal }) =>
    everyItem((query) => ok(api.GET('/api/v1/plans', { params: { query }, signal }))),
  staleTime: 300_000,
})
