import { networkInterfaces } from 'node:os'
import type { Domains } from '../../model/domains/index.ts'
import type { OwnHosts } from '../../model/links/values.ts'
import { type Config, isWildcard } from '../../platform/config/index.ts'

/** The hosts and ports of this instance. */
export function ownHostsOf(input: {
  config: Pick<Config, 'host'>
  domains: Pick<Domains, 'hosts' | 'ownedAt'>
  baseUrl: string
  listenPort: number
}): OwnHosts {
  const { config, domains, listenPort } = input
  const base = new URL(input.baseUrl)
  const cards = Object.values(networkInterfaces()).flatMap((card) => card ?? [])
  return {
    hosts: domains.hosts,
    ownedAt: domains.ownedAt,
    addresses: isWildcard(config.host) ? cards.map(({ address }) => address) : [config.host],
    listenPort,
    basePort: Number(base.port) || (base.protocol === 'https:' ? 443 : 80),
  }
}
