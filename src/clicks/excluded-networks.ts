import ipaddr from 'ipaddr.js'
import { SEQS_PER_WORKSPACE, type Storage } from '../storage/index.ts'

type Network = ReturnType<typeof ipaddr.parseCIDR>

/** The networks whose visits workspaces exclude from counting. */
export type ExcludedNetworks = ReturnType<typeof createExcludedNetworks>

/** Networks are reloaded periodically; visits use those in memory. */
export function createExcludedNetworks({ read }: Pick<Storage, 'read'>) {
  let known = new Map<number, readonly Network[]>()
  return {
    /** @throws StorageUnavailable, keeping the networks in memory */
    async refresh(): Promise<void> {
      const rows = await read.db
        .selectFrom('workspaces')
        .select(['no', 'excluded_networks'])
        .where('excluded_networks', '<>', '[]')
        .execute()
      known = new Map(
        rows.map(({ no, excluded_networks: json }) => [
          no,
          (JSON.parse(json) as string[]).map(parseNetwork),
        ]),
      )
    },
    /** Whether visits from an address to a link aren't counted. */
    covers(linkSeq: number, address: string): boolean {
      if (known.size === 0) return false
      const networks = known.get(Math.floor(linkSeq / SEQS_PER_WORKSPACE))
      if (networks === undefined || !ipaddr.isValid(address)) return false
      const visitor = ipaddr.process(address)
      return networks.some(
        ([network, bits]) => network.kind() === visitor.kind() && visitor.match(network, bits),
      )
    },
  }
}

function parseNetwork(text: string): Network {
  if (text.includes('/')) return ipaddr.parseCIDR(text)
  const address = ipaddr.parse(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128] as Network
}
