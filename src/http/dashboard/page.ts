import { readFileSync } from 'node:fs'
import { parse } from 'hono/utils/cookie'
import type { Rendered } from '../../lib/errors/index.ts'
import {
  direction,
  isSupportedLocale,
  type Locale,
  negotiateLocale,
  translate,
} from '../../lib/i18n/index.ts'
import { digestTag, noneMatch, pathOf, searchOf } from '../index.ts'
import type { BuiltFiles } from './built.ts'
import { SEARCH_LINK } from './open-search.ts'

/** The placeholder of the nonce in the built page; `web/vite.config.ts` has it too. */
const NONCE = /__CSP_NONCE__/g
/** The end of the session cookie's name, which may have a prefix. */
const SESSION_COOKIE = 'session_token'
/** The placeholder for the text shown without scripts. */
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
  '': ['src/features/links/page.tsx'],
  links: ['src/features/links/page.tsx'],
  'links/new': ['src/features/links/page.tsx'],
  statistics: ['src/features/statistics/page.tsx'],
}

/** Pages before the sign-in, which have their own program; see `web/src/signed-out.tsx`. */
const SIGNED_OUT =
  /^(?:sign-in|sign-up|two-factor|forgot-password|reset-password|claim|invitation|verify-email|change-email)\/?$/

/** Reads the built pages, and returns the function that serves them. @throws if there is none */
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
      : preload(manifest, locale, chunksOf(name, cookies)) + listAhead(request.url, name, cookies)
    const page = (isSignedOut ? signedOut : dashboard)
      .replace(HTML_TAG, htmlTag(locale, theme))
      .replace(NO_SCRIPT, Bun.escapeHTML(translate(locale, 'page.script')))
      .replace('</title>', `</title>${SEARCH_LINK}${SESSION}${ahead}`)
    const headers: Record<string, string> = {
      ...base,
      ETag: digestTag(page),
      'Cache-Control': 'private, no-cache',
      'Content-Language': locale,
      Vary: 'Accept-Language, Cookie',
    }
    if (noneMatch(request.headers.get('if-none-match'), headers.ETag as string)) {
      // No policy: the page in the client's cache has the nonce of the policy cached with it.
      return new Response(null, { status: 304, headers })
    }
    const nonce = newNonce()
    headers['Content-Type'] = 'text/html; charset=utf-8'
    headers['Content-Security-Policy'] = policyOf(nonce)
    return new Response(page.replace(NONCE, nonce), { headers })
  }
}

/** The page of shared statistics, which loads the data itself. Any page may embed it in a frame. */
export function openSharedPage(built: BuiltFiles) {
  const page = template(built, 'shared.html')
  const manifest = chunks(built, 'shared')

  return (request: Request, locale: Locale): Rendered => {
    const theme = URL.parse(request.url)?.searchParams.get('theme') ?? undefined
    const nonce = newNonce()
    const text = page
      .replace(HTML_TAG, htmlTag(locale, theme))
      .replace('</title>', `</title>${preload(manifest, locale, [])}`)
      .replace(NO_SCRIPT, Bun.escapeHTML(translate(locale, 'page.script')))
      .replace(NONCE, nonce)
    const headers = {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Language': locale,
      Vary: 'Accept-Language',
      'Cache-Control': 'private, no-cache',
      'Content-Security-Policy': policyOf(nonce, '*'),
      // The URL is all that is needed to see the statistics, so other sites must not learn it.
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
 * The Content-Security-Policy of the dashboard's pages: only resources of this server, no inline
 * script or style without the response's nonce, no framing except by `ancestors`.
 */
function policyOf(nonce: string, ancestors = "'none'"): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${ancestors}`,
  ].join('; ')
}

/** Language, direction and theme are in the first HTML, so that the page doesn't flicker. */
function htmlTag(locale: Locale, theme: string | undefined): string {
  const chosen = theme === 'light' || theme === 'dark' ? ` data-theme="${theme}"` : ''
  return `<html lang="${locale}" dir="${direction(locale)}"${chosen}>`
}

/** The person's own choice, or else what the browser asks for. */
function localeOf(request: Request, chosen: string | undefined): Locale {
  if (chosen !== undefined && isSupportedLocale(chosen)) return chosen
  return negotiateLocale({ acceptLanguage: request.headers.get('accept-language') })
}

/** Every page needs the session first, so it is preloaded while the program loads. */
const SESSION = '<link rel="preload" as="fetch" crossorigin href="/app/api/v1/session">'

type Cookies = Readonly<Record<string, string>>

function isSignedIn(cookies: Cookies): boolean {
  return Object.keys(cookies).some((cookie) => cookie.endsWith(SESSION_COOKIE))
}

/** The chunks that the program needs first: none for those who will be sent to sign in. */
function chunksOf(name: string, cookies: Cookies): string[] {
  return isSignedIn(cookies) ? [SHELL, ...(PAGES[name] ?? [])] : []
}

const WORKSPACE_ID = /^wsp_[0-9a-z]+$/

/**
 * Preloads the list of links for its page without filters, so that it is there before the program
 * is: with exactly the URL that the program's `linksQuery` has, else the browser requests it twice.
 */
function listAhead(url: string, name: string, cookies: Cookies): string {
  if (!isSignedIn(cookies) || (name !== '' && name !== 'links')) return ''
  const searchParams = new URLSearchParams(searchOf(url))
  if (searchParams.keys().some((filter) => filter !== 'w')) return ''
  const workspace = searchParams.get('w') ?? cookies.slugline_workspace ?? ''
  if (!WORKSPACE_ID.test(workspace)) return ''
  const list = `/app/api/v1/links?limit=50&amp;total=quick&amp;workspace=${workspace}`
  return `<link rel="preload" as="fetch" crossorigin href="${list}">`
}

/** Preloads the messages and the page's chunks, which the program would request later. */
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

/** The manifest of a page, by source. */
function chunks(built: BuiltFiles, name: string): Manifest {
  return JSON.parse(read(built, `.vite/${name}.json`))
}

function read(built: BuiltFiles, name: string): string {
  const path = built.get(name)
  if (path === undefined) throw new Error(`The build lacks ${name}`)
  return readFileSync(path, 'utf8')
}
