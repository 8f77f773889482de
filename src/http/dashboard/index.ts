import { extname } from 'node:path'
import { acceptedEncoding } from '../../lib/base/accept.ts'
import { hstsOf, PERMISSIONS_POLICY } from '../../lib/base/headers.ts'
import { AppError, type Rendered, renderError } from '../../lib/errors/index.ts'
import { type Locale, negotiateLocale, translate } from '../../lib/i18n/index.ts'
import { langOf, pathOf } from '../index.ts'
import type { BuiltFiles } from './built.ts'
import { openSearch } from './open-search.ts'
import { openPage, openSharedPage } from './page.ts'

export { builtFiles } from './built.ts'

/** Dependencies of the dashboard. */
export interface DashboardDeps {
  /** The built files; may throw if nothing was built. */
  files: () => BuiltFiles
  /** The public URL of this instance; its scheme says whether TLS is used. */
  baseUrl: string
  /** The next `X-Request-Id`. */
  requestId?: () => string
}

/** Serves paths below `/app` other than the dashboard's API. Never rejects. */
export type Dashboard = (request: Request) => Response

const PREFIX = '/app'
const ALLOW = 'GET, HEAD, OPTIONS'

/**
 * Serves the built dashboard: its files, which have hashed names and are cached forever, and its
 * one page for every other path, so that deep links work.
 */
export function createDashboard({ files, baseUrl, requestId }: DashboardDeps): Dashboard {
  // Read with the first request: most processes never get one, and starting must be fast.
  let built: ReturnType<typeof open> | undefined

  return (request) => {
    const headers = dashboardHeaders(baseUrl)
    if (requestId !== undefined) headers['X-Request-Id'] = requestId()
    if (request.method === 'OPTIONS') {
      return new Response(null, { status: 204, headers: { ...headers, Allow: ALLOW } })
    }
    const refused = (error: AppError) => refuse(request, error, headers, baseUrl)
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      const params = { allowed: ALLOW.split(', ') }
      return refused(new AppError('METHOD_NOT_ALLOWED', { params, headers: { Allow: ALLOW } }))
    }
    const name = pathOf(request.url).slice(PREFIX.length + 1)
    if (name === 'opensearch.xml') return openSearch(baseUrl, headers)
    try {
      built ??= open(files())
    } catch {
      return refused(new AppError('SERVICE_UNAVAILABLE'))
    }
    const file = built.files.get(name)
    if (file !== undefined) return serveFile(file, request, headers)
    if (name.startsWith('assets/')) return refused(new AppError('NOT_FOUND'))
    return built.page(request, headers)
  }
}

/** The page of shared statistics. @throws AppError SERVICE_UNAVAILABLE if nothing was built */
export function createSharedShell(files: () => BuiltFiles) {
  let page: ReturnType<typeof openSharedPage> | undefined
  return (request: Request, locale: Locale): Rendered => {
    try {
      page ??= openSharedPage(files())
    } catch (cause) {
      throw new AppError('SERVICE_UNAVAILABLE', { cause })
    }
    return page(request, locale)
  }
}

/** Headers of everything that the dashboard serves. */
function dashboardHeaders(baseUrl: string): Record<string, string> {
  return {
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'same-origin',
    'Permissions-Policy': PERMISSIONS_POLICY,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    ...hstsOf(baseUrl),
  }
}

function open(files: BuiltFiles) {
  return { files: listFiles(files), page: openPage(files) }
}

/** An error: as text for people who open a page, else in the API's format. */
function refuse(
  request: Request,
  error: AppError,
  headers: Record<string, string>,
  baseUrl: string,
): Response {
  const locale = negotiateLocale({
    query: langOf(request.url),
    acceptLanguage: request.headers.get('accept-language'),
  })
  const requestId = headers['X-Request-Id'] ?? ''
  const rendered = renderError(error, { locale, requestId, asProblem: false, baseUrl })
  const all: Record<string, string> = {
    ...headers,
    ...rendered.headers,
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Cache-Control': 'no-store',
  }
  if (request.headers.get('accept')?.includes('text/html') !== true) {
    return new Response(rendered.text, { status: error.status, headers: all })
  }
  all['Content-Type'] = 'text/plain; charset=utf-8'
  const message = translate(locale, `error.${error.code}`, error.params)
  return new Response(`${message}\n`, { status: error.status, headers: all })
}

/** A built file that may be served. */
interface StaticFile {
  path: string
  type: string
  /** The locations of its compressed forms, best first. */
  compressed: ReadonlyMap<string, string>
  /** Its name contains a hash of its content, so it may be cached forever. */
  hashed: boolean
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.png': 'image/png',
}
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

/**
 * The files of a build by their path below `/app/`. The list is read once: no path of a request
 * reaches the file system.
 */
function listFiles(built: BuiltFiles): Map<string, StaticFile> {
  const files = new Map<string, StaticFile>()
  for (const [name, path] of built) {
    const type = TYPES[extname(name)]
    // Dot files belong to the build itself: the manifest, the stamp.
    if (type === undefined || name.startsWith('.')) continue
    const compressed = new Map<string, string>()
    for (const [encoding, suffix] of ENCODINGS) {
      const file = built.get(name + suffix)
      if (file !== undefined) compressed.set(encoding, file)
    }
    files.set(name, { path, type, compressed, hashed: name.startsWith('assets/') })
  }
  return files
}

/** Serves a file, compressed if the client accepts that. */
function serveFile(
  file: StaticFile,
  request: Request,
  base: Readonly<Record<string, string>>,
): Response {
  const { compressed } = file
  const encoding = acceptedEncoding(request.headers.get('accept-encoding'), [...compressed.keys()])
  const headers: Record<string, string> = {
    ...base,
    'Content-Type': file.type,
    'Cache-Control': file.hashed ? 'public, max-age=31536000, immutable' : 'public, max-age=3600',
    // Also for a file opened directly: an SVG could hold a script.
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  }
  if (compressed.size > 0) headers.Vary = 'Accept-Encoding'
  if (encoding !== undefined) headers['Content-Encoding'] = encoding
  return new Response(Bun.file(compressed.get(encoding ?? '') ?? file.path), { headers })
}
