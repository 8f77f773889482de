import { queryOptions } from '@tanstack/react-query'
import { api, ok, type Schemas } from '../../api/client.ts'

export const KINDS = ['link', 'host', 'destination_host', 'workspace'] as const
export type Kind = (typeof KINDS)[number]

/** A block as the owner of the instance sees it. */
export type Block = Schemas['Block']

/** Visitors' reports about an address. */
export type Report = Schemas['Report']

/** Blocks and reports; the newest of each. */
export const abuseQuery = queryOptions({
  queryKey: ['instance', 'abuse'],
  async queryFn({ signal }) {
    const newest = { params: { query: { limit: 100 } }, signal }
    const [blocks, reports] = await Promise.all([
      ok(api.GET('/api/v1/instance/blocks', newest)),
      ok(api.GET('/api/v1/instance/reports', newest)),
    ])
    return { blocks: blocks.data, reports: reports.data }
  },
})

export function addBlock(body: Pick<Block, 'kind' | 'value' | 'reason'>): Promise<Block> {
  return ok(api.POST('/api/v1/instance/blocks', { body }))
}

export async function endBlock(id: string): Promise<void> {
  await ok(api.DELETE('/api/v1/instance/blocks/{id}', { params: { path: { id } } }))
}

export async function dismissReport(address: string): Promise<void> {
  await ok(api.DELETE('/api/v1/instance/reports', { params: { query: { address } } }))
}
