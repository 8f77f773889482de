import { queryOptions } from '@tanstack/react-query'
import { request, type Schemas } from '../../api/client.ts'

export const KINDS = ['link', 'host', 'destination_host', 'workspace'] as const
export type Kind = (typeof KINDS)[number]

/** A block as the owner of the instance sees it. */
export type Block = Schemas['Block']

/** Visitors' reports about an address. */
export type Report = Schemas['ReportList']['data'][number]

const BLOCKS = '/api/v1/instance/blocks'
const REPORTS = '/api/v1/instance/reports'

/** Blocks and reports; the newest of each. */
export const abuseQuery = queryOptions({
  queryKey: ['instance', 'abuse'],
  async queryFn({ signal }) {
    const [blocks, reports] = await Promise.all([
      request<Schemas['BlockList']>('GET', BLOCKS, { query: { limit: '100' }, signal }),
      request<Schemas['ReportList']>('GET', REPORTS, { signal }),
    ])
    return { blocks: blocks.data, reports: reports.data }
  },
})

export function addBlock(body: Pick<Block, 'kind' | 'value' | 'reason'>): Promise<Block> {
  return request('POST', BLOCKS, { body })
}

export function endBlock(id: string): Promise<void> {
  return request('DELETE', `${BLOCKS}/${id}`)
}

export function dismissReport(address: string): Promise<void> {
  return request('DELETE', REPORTS, { query: { address } })
}
