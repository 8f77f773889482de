import { createTrust } from '../base/client-address.ts'
import type { Domains } from '../domains/index.ts'
import { isForwarded, isLoopback, otherMethod, watchHeaders } from './answers.ts'

/** No slug is below .well-known. */
const PATH = '/.well-known/slugline/host'

/**
 * Answers a proxy that is about to get a certificate for a host (`?domain=`): 200, it is ours, or
 * 404. Caddy asks so (https://caddyserver.com/docs/automatic-https#on-demand-tls). From memory, so
 * nothing need bound it; null for other paths, and for what a proxy has passed on from elsewhere.
 * @param options the domains that are served; who may ask besides this machine: those who also may
 *   say where a visitor comes from
 */
export function createHostAsk({
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
