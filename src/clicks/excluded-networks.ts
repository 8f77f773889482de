import { isWithin, parseAddress, parseNetworks } from '../lib/base/networks.ts'
import { SEQS_PER_WORKSPACE, type Storage } from '../platform/storage/index.ts'

/** The networks whose visits workspaces exclude from counting. */
export type ExcludedNetworks = ReturnType<typeof createExcludedNetworks>

/** Networks are reloaded periodically; visits use those in memory. */
export function createExcludedNetworks({ read }: Pick<Storage, 'read'>) {
  let known = new Map<number, ReturnType<typeof parseNetworks>>()
  return {
    /** @throws StorageUnavailable, keeping the networks in memory */
    async refresh(): Promise<void> {
      const rows = await read.db
        .selectFrom('workspaces')
        .select(['no', 'excluded_networks'])
        .where('excluded_networks', '<>', '[]')
        .execute()
      known = new Map(
        rows.map((row) => [row.no, parseNetworks(JSON.parse(row.excluded_networks) as string[])]),
      )
    },
    /** Whether visits from an address to a link aren't counted. */
    covers(linkSeq: number, address: string): boolean {
      if (known.size === 0) return false
      const networks = known.get(Math.floor(linkSeq / SEQS_PER_WORKSPACE))
      return networks !== undefined && isWithin(parseAddress(address), networks)
    },
  }
}
