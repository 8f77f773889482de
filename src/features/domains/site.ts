import { hstsOf } from '../../lib/base/headers.ts'
import type { Domains } from '../../model/domains/index.ts'
import {
  type DomainsTable,
  prepare,
  type Storage,
  StorageUnavailable,
} from '../../platform/storage/index.ts'
import type { Site } from '../../redirect/index.ts'
import { PROOF_PATH, proofOf } from './proof.ts'
import { brandOf } from './rows.ts'

type Named = Pick<DomainsTable, 'root_url' | 'not_found_url' | 'expired_url' | 'brand'> & {
  /** When the workspace's logo was set; null: it has none. */
  logo_at: number | null
}

const settings = prepare<{ no: number }, Named>((db, p) =>
  db
    .selectFrom('domains as d')
    .leftJoin('logos as l', 'l.workspace_no', 'd.workspace_no')
    .select(['d.root_url', 'd.not_found_url', 'd.expired_url', 'd.brand'])
    .select('l.updated_at as logo_at')
    .where('d.no', '=', p.no),
)

/** The path of a domain's logo, which browsers request on their own. */
const FAVICON = '/favicon.ico'

/** Makes the function that reads the branding of a domain's pages. */
export function createSiteOf(storage: Pick<Storage, 'read'>) {
  return async (no: number): Promise<Site | null> => {
    const [row] = await storage.read.run(settings, { no })
    if (row === undefined) return null
    const { root_url, not_found_url, expired_url, logo_at } = row
    const own = brandOf(row)
    const logo = own?.logo !== true ? (own?.logo ?? null) : logo_at && `${FAVICON}?v=${logo_at}`
    return { root_url, not_found_url, expired_url, brand: own && { ...own, logo: logo || null } }
  }
}

const texts = prepare<
  { no: number },
  Pick<DomainsTable, 'brand' | 'apple_app_site_association' | 'assetlinks'> & {
    robots: string
    png: string | null
  }
>((db, p) =>
  db
    .selectFrom('domains as d')
    .leftJoin('logos as l', 'l.workspace_no', 'd.workspace_no')
    .select(['d.robots', 'd.brand', 'd.apple_app_site_association', 'd.assetlinks', 'l.png'])
    .where('d.no', '=', p.no),
)

type Texts = NonNullable<Awaited<ReturnType<typeof textsOf>>>
const textsOf = async ({ read }: Pick<Storage, 'read'>, no: number) =>
  (await read.run(texts, { no }))[0]

interface File {
  type: string
  body: string | Uint8Array<ArrayBuffer>
}

const ROBOTS_PATH = '/robots.txt'
const ROBOTS: Readonly<Record<string, string>> = {
  all: 'User-agent: *\nDisallow:\n',
  none: 'User-agent: *\nDisallow: /\n',
}

/** Links stay open to services that show previews of them; redirects aren't indexed. */
const SHARED_ROBOTS = 'User-agent: *\nDisallow: /api/\nDisallow: /app/\n'

/** What each path serves; null: nothing, a text: it exists. */
const FILES = new Map<string, (texts: Texts) => File | string | null>([
  [ROBOTS_PATH, ({ robots }) => ({ type: 'text/plain', body: ROBOTS[robots] ?? robots })],
  [
    FAVICON,
    ({ brand, png }) => {
      const logo = brandOf({ brand })?.logo ?? null
      if (logo !== true) return logo
      return png === null ? null : { type: 'image/png', body: Buffer.from(png, 'base64') }
    },
  ],
  [
    '/.well-known/apple-app-site-association',
    ({ apple_app_site_association: body }) =>
      body === null ? null : { type: 'application/json', body },
  ],
  [
    '/.well-known/assetlinks.json',
    ({ assetlinks: body }) => (body === null ? null : { type: 'application/json', body }),
  ],
])

/**
 * Serves the files that browsers, crawlers and systems request from every host, on domains of
 * workspaces; on shared hosts only robots.txt. Null: another path.
 */
export function createDomainFiles(deps: {
  storage: Pick<Storage, 'read'>
  domains: Pick<Domains, 'hostOf' | 'ownedAt'>
  baseUrl: string
  /** See {@link proofOf}. */
  proofKey: Uint8Array
  requestId: () => string
}) {
  const { storage, domains, baseUrl, requestId } = deps
  const always = { ...hstsOf(baseUrl), 'X-Content-Type-Options': 'nosniff' }

  async function answer({ method }: Request, no: number | null, path: string): Promise<Response> {
    const headers = { ...always, 'X-Request-Id': requestId() }
    if (method !== 'GET' && method !== 'HEAD') {
      const status = method === 'OPTIONS' ? 204 : 405
      return new Response(null, { status, headers: { ...headers, Allow: 'GET, HEAD, OPTIONS' } })
    }
    const cached = { ...headers, 'Cache-Control': 'public, max-age=300' }
    if (no === null) {
      return new Response(SHARED_ROBOTS, { headers: { ...cached, 'Content-Type': 'text/plain' } })
    }
    const row = await textsOf(storage, no)
    const file = row === undefined ? null : (FILES.get(path)?.(row) ?? null)
    if (file === null) return new Response(null, { status: 404, headers: cached })
    if (typeof file === 'string') {
      return new Response(null, { status: 302, headers: { ...cached, Location: file } })
    }
    return new Response(file.body, { headers: { ...cached, 'Content-Type': file.type } })
  }

  return (request: Request, path: string): Promise<Response> | Response | null => {
    if (!FILES.has(path) && path !== PROOF_PATH) return null
    const host = URL.parse(request.url)?.host ?? ''
    const no = domains.ownedAt(host)
    if (path === PROOF_PATH) {
      if (no === undefined) return null
      const headers = { ...always, 'Cache-Control': 'no-store', 'Content-Type': 'text/plain' }
      const proof = proofOf(deps.proofKey, domains.hostOf(no))
      return new Response(proof, { headers: { ...headers, 'X-Request-Id': requestId() } })
    }
    if (no === undefined && path !== ROBOTS_PATH) return null
    return answer(request, no ?? null, path).catch((error) => {
      if (!(error instanceof StorageUnavailable)) throw error
      const headers = { ...always, 'X-Request-Id': requestId(), 'Retry-After': '2' }
      return new Response(null, { status: 503, headers })
    })
  }
}
