import { readFileSync } from 'node:fs'
import { parse } from 'hono/utils/cookie'
import type { Rendered } from '../errors/index.ts'
import { digestTag, noneMatch, pathOf } from '../http/index.ts'
import {
  direction,
  isSupportedLocale,
  type Locale,
  negotiateLocale,
  translate,
} from '../i18n/index.ts'
import type { BuiltFiles } from './built.ts'

/** What stands in the built page where the nonce belongs; `web/vite.config.ts` knows it too. */
const NONCE = /__CSP_NONCE__/g
/** The end of the session cookie's name, whatever stands before it. */
const SESSION_COOKIE = 'session_token'
/** What stands in the page of shared statistics for browsers that run no scripts. */
const NO_SCRIPT = '__NO_SCRIPT__'
const HTML_TAG = '<html lang="en" dir="ltr">'

interface Chunk {
  file: string
  /** Keys of the chunks that it loads immediately. */
  imports?: string[]
}

type Manifest = Readonly<Record<string, Chunk>>

/** What a page below `/app/` loads in addition to what every page loads. */
const SHELL = 'src/app/shell.tsx'
const PAGES: Readonly<Record<string, readonly string[]>> = {
  '': ['src/features/links/index.ts'],
  links: ['src/features/links/index.ts'],
  statistics: ['src/features/statistics/index.ts'],
}

/** Pages before the sign-in, which have a program of their own; `web/src/signed-out.tsx` knows them too. */
const SIGNED_OUT =
  /^(?:sign-in|sign-up|two-factor|forgot-password|reset-password|claim|invitation|verify-email|change-email)\/?$/

/** Reads the built pages, and returns what answers with it. @throws where there is none */
export function openPage(built: BuiltFiles) {
  const dashboard = template(built, 'index.html')
  const signedOut = template(built, 'signed-out.html')
  const manifest = chunks(built, 'manifest')
  const signedOutManifest = chunks(built, 'signed-out')

  return (request: Request, base: Readonly<Record<string, string>>): Response => {
    const cookies = parse(request.headers.get('cookie') ?? '')
    const locale = localeOf(request, cookies.slugline_language)
    const theme = cookies.slugline_theme
    const name = pathOf(request.url).replace(/^\/app\/?/, '')
    const isSignedOut = SIGNED_OUT.test(name)
    const ahead = isSignedOut
      ? preload(signedOutManifest, locale, [])
      : preload(manifest, locale, chunksOf(name, cookies))
    const page = (isSignedOut ? signedOut : dashboard)
      .replace(HTML_TAG, htmlTag(locale, theme))
      .replace('</title>', `</title>${SESSION}${ahead}`)
    const headers: Record<string, string> = {
      ...base,
      ETag: digestTag(page),
      'Cache-Control': 'private, no-cache',
      'Content-Language': locale,
      Vary: 'Accept-Language, Cookie',
    }
    if (noneMatch(request.headers.get('if-none-match'), headers.ETag as string)) {
      // Without a policy: the page that the client keeps has the nonce of the policy it keeps.
      return new Response(null, { status: 304, headers })
    }
    const nonce = newNonce()
    headers['Content-Type'] = 'text/html; charset=utf-8'
    headers['Content-Security-Policy'] = policyOf(nonce)
    return new Response(page.replace(NONCE, nonce), { headers })
  }
}

/** The page of shared statistics, which asks for them by itself. Any page may have it in a frame. */
export function openSharedPage(built: BuiltFiles) {
  const page = template(built, 'shared.html')
  const manifest = chunks(built, 'shared')

  return (request: Request, locale: Locale): Rendered => {
    const theme = URL.parse(request.url)?.searchParams.get('theme') ?? undefined
    const nonce = newNonce()
    const text = page
      .replace(HTML_TAG, htmlTag(locale, theme))
      .replace('</title>', `</title>${preload(manifest, locale, [])}`)
      .replace(NO_SCRIPT, Bun.escapeHTML(translate(locale, 'page.share.script')))
      .replace(NONCE, nonce)
    const headers = {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Language': locale,
      Vary: 'Accept-Language',
      'Cache-Control': 'private, no-cache',
      'Content-Security-Policy': policyOf(nonce, '*'),
      // The address is all that is needed to see the statistics: no other site learns it.
      'Referrer-Policy': 'no-referrer',
      'X-Robots-Tag': 'noindex',
    }
    return { status: 200, text, headers }
  }
}

function newNonce(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64')
}

/**
 * What the dashboard's pages may load and do: only what this server sends, no inline script or
 * style without the answer's nonce, no frame around them unless `ancestors` says so.
 */
function policyOf(nonce: string, ancestors = "'none'"): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${ancestors}`,
  ].join('; ')
}

/** Language, direction and theme are in the first HTML, so that nothing flickers. */
function htmlTag(locale: Locale, theme: string | undefined): string {
  const chosen = theme === 'light' || theme === 'dark' ? ` data-theme="${theme}"` : ''
  return `<html lang="${locale}" dir="${direction(locale)}"${chosen}>`
}

/** The person's own choice, then what their browser asks for. */
function localeOf(request: Request, chosen: string | undefined): Locale {
  if (chosen !== undefined && isSupportedLocale(chosen)) return chosen
  return negotiateLocale({ acceptLanguage: request.headers.get('accept-language') })
}

/** Every page asks for it before it shows anything: so it is on its way while the program comes. */
const SESSION = '<link rel="preload" as="fetch" crossorigin href="/app/api/v1/session">'

/** What the program will ask for first: nothing for those who will be sent to sign in. */
function chunksOf(name: string, cookies: Readonly<Record<string, string>>): string[] {
  if (!Object.keys(cookies).some((cookie) => cookie.endsWith(SESSION_COOKIE))) return []
  return [SHELL, ...(PAGES[name] ?? [])]
}

/** Asks for the texts and the page together with the program, which would ask for them later. */
function preload(manifest: Manifest, locale: Locale, page: readonly string[]): string {
  const files = new Set<string>()
  const add = (key: string) => {
    const chunk = manifest[key]
    if (chunk === undefined || files.has(chunk.file)) return
    files.add(chunk.file)
    for (const needed of chunk.imports ?? []) add(needed)
  }
  for (const key of [`../virtual:messages/${locale}`, ...page]) add(key)
  const parts = [...files].map(
    (file) => `<link rel="modulepreload" crossorigin href="/app/${file}">`,
  )
  return parts.join('')
}

function template(built: BuiltFiles, name: string): string {
  const text = read(built, name)
  if (!text.includes(HTML_TAG)) throw new Error(`${name} lacks the tag that says its language`)
  return text
}

/** What was built with a page, by its source. */
function chunks(built: BuiltFiles, name: string): Manifest {
  return JSON.parse(read(built, `.vite/${name}.json`))
}

function read(built: BuiltFiles, name: string): string {
  const path = built.get(name)
  if (path === undefined) throw new Error(`The build lacks ${name}`)
  return readFileSync(path, 'utf8')
}
