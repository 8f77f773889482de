import { createTrust } from '../../lib/base/client-address.ts'
import type { Domains } from '../../model/domains/index.ts'
import { isForwarded, isLoopback, otherMethod, watchHeaders } from './answers.ts'

/** No slug can start with .well-known. */
const PATH = '/.well-known/slugline/host'

/**
 * Answers a proxy that is about to get a certificate for a host (`?domain=`), as Caddy does
 * (https://caddyserver.com/docs/automatic-https#on-demand-tls): 200 if the host is ours, else 404.
 * It reads memory only, so it isn't limited. Null for other paths, and for requests forwarded from
 * elsewhere.
 * @param options the served domains; trusted proxies, which may ask besides this machine
 */
export function createHostCheck({
  domains,
  trustedProxies,
}: {
  domains: Pick<Domains, 'hosts' | 'ownedAt'>
  trustedProxies: readonly string[]
}) {
  const shared = new Set(domains.hosts.map((host) => host.replace(/:\d+$/, '')))
  const trusts = createTrust(trustedProxies)
  const mayAsk = (peer: string) => isLoopback(peer) || trusts(peer)
  return (request: Request, path: string, peer: () => string): Response | null => {
    if (path !== PATH || isForwarded(request.headers) || !mayAsk(peer())) return null
    const asked = URL.parse(request.url, 'http://localhost')?.searchParams.get('domain') ?? ''
    const name = asked.toLowerCase().replace(/\.$/, '')
    const isOurs = shared.has(name) || (!name.includes(':') && domains.ownedAt(name) !== undefined)
    return (
      otherMethod(request) ??
      new Response(isOurs ? 'ours\n' : 'not ours\n', {
        status: isOurs ? 200 : 404,
        headers: watchHeaders('text/plain; charset=utf-8'),
      })
    )
  }
}
