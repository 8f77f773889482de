import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import { filesBelow } from './built.ts'
import { createDashboard, type Dashboard } from './index.ts'

const SCRIPT = 'console.log("dashboard")'
const HTML = `<!doctype html>
<html lang="en" dir="ltr"><head><title>Slugline</title>
<script type="module" src="/app/assets/index-abc.js" nonce="__CSP_NONCE__"></script></head>
<body><div id="root"></div></body></html>`

let dir: string
let dashboard: Dashboard

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'slugline-dashboard-'))
  mkdirSync(join(dir, 'assets'))
  mkdirSync(join(dir, '.vite'))
  writeFileSync(join(dir, 'index.html'), HTML)
  writeFileSync(join(dir, 'signed-out.html'), HTML.replace('index-abc', 'signed-out-abc'))
  writeFileSync(join(dir, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  writeFileSync(join(dir, 'assets/index-abc.js'), SCRIPT)
  writeFileSync(join(dir, 'assets/index-abc.js.br'), brotliCompressSync(SCRIPT))
  const manifest = {
    '../virtual:messages/ar': { file: 'assets/ar-1.js' },
    'src/app/shell.tsx': { file: 'assets/shell-1.js', imports: ['_kit.js'] },
    'src/features/links/page.tsx': { file: 'assets/links-1.js', imports: ['_kit.js'] },
    '_kit.js': { file: 'assets/kit-1.js' },
  }
  writeFileSync(join(dir, '.vite/manifest.json'), JSON.stringify(manifest))
  const signedOut = { '../virtual:messages/ar': { file: 'assets/ar-signed-out-1.js' } }
  writeFileSync(join(dir, '.vite/signed-out.json'), JSON.stringify(signedOut))
  dashboard = createDashboard({ files: () => filesBelow(dir), baseUrl: 'https://s.example' })
})
afterAll(() => rmSync(dir, { recursive: true }))

function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  return dashboard(new Request(`http://127.0.0.1${path}`, { method, headers }))
}

describe('the page', () => {
  test('is served at every path, with a policy that allows nothing inline', async () => {
    for (const path of ['/app', '/app/', '/app/links/lnk_1?edit=true', '/app/../app/keys']) {
      const response = get(path)
      expect(response.status).toBe(200)
      expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
      const policy = response.headers.get('Content-Security-Policy') as string
      expect(policy).toStartWith("default-src 'none'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toContain('unsafe')
      const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] as string
      expect(await response.text()).toContain(`nonce="${nonce}"`)
    }
    const headers = get('/app').headers
    expect(headers.get('X-Frame-Options')).toBe('DENY')
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
    expect(headers.get('Strict-Transport-Security')).toStartWith('max-age=')
    expect(headers.get('Cache-Control')).toBe('private, no-cache')
  })

  test('is a smaller program before the sign-in, with or without a session', async () => {
    const cookie = 'slugline.session_token=t'
    for (const path of ['/app/sign-in', '/app/claim?a=b', '/app/invitation/']) {
      const text = await get(path, { cookie }).text()
      expect(text).toContain('signed-out-abc.js')
      expect(text).not.toContain('shell-1.js')
    }
    const arabic = await get('/app/sign-in', { 'accept-language': 'ar' }).text()
    expect(arabic).toContain('"/app/assets/ar-signed-out-1.js"')
    for (const path of ['/app/links', '/app/sign-in/x', '/app/claims']) {
      expect(await get(path).text()).toContain('index-abc.js')
    }
  })

  test('has another nonce each time', () => {
    const policies = Array.from({ length: 20 }, () =>
      get('/app').headers.get('Content-Security-Policy'),
    )
    expect(new Set(policies).size).toBe(20)
  })

  test('has language and direction: the person’s choice, or else the browser’s', async () => {
    const german = get('/app', { 'Accept-Language': 'de-AT,de;q=0.9' })
    expect(await german.text()).toContain('<html lang="de" dir="ltr">')
    const arabic = get('/app', { 'Accept-Language': 'de', Cookie: 'a=b; slugline_language=ar' })
    expect(arabic.headers.get('Content-Language')).toBe('ar')
    const text = await arabic.text()
    expect(text).toContain('<html lang="ar" dir="rtl">')
    expect(text).toContain('<link rel="modulepreload" crossorigin href="/app/assets/ar-1.js">')
    expect(arabic.headers.get('Vary')).toBe('Accept-Language, Cookie')
  })

  test('preloads a page’s chunks, once each, for those who are signed in', async () => {
    const preloaded = async (path: string, cookie: string) => {
      const text = await get(path, { Cookie: cookie }).text()
      return [...text.matchAll(/modulepreload" crossorigin href="([^"]+)"/g)].map(
        ([, file]) => file,
      )
    }
    const [kit, shell, links] = ['kit', 'shell', 'links'].map((name) => `/app/assets/${name}-1.js`)
    const session = '__Host-slugline.session_token=x'
    expect(await preloaded('/app/links?q=a', session)).toEqual([shell, kit, links])
    expect(await preloaded('/app/audit', session)).toEqual([shell, kit])
    expect(await preloaded('/app/links', 'a=b')).toEqual([])
  })

  test('preloads the list of the workspace in the URL or the last one', async () => {
    const asked = async (
      path: string,
      workspace: string,
      session = 'slugline.session_token=x; ',
    ) => {
      const Cookie = `${session}slugline_workspace=${workspace}`
      const text = await get(path, { Cookie }).text()
      return /fetch" crossorigin href="\/app\/api\/v1\/links([^"]+)"/.exec(text)?.[1]
    }
    const list = '?limit=50&amp;total=quick&amp;workspace='
    expect(await asked('/app/links', 'wsp_1a')).toBe(`${list}wsp_1a`)
    expect(await asked('/app?w=wsp_2b', 'wsp_1a')).toBe(`${list}wsp_2b`)
    for (const path of ['/app/links?q=a', '/app/links/lnk_1', '/app/links?w=%22%3E']) {
      expect(await asked(path, 'wsp_1a')).toBeUndefined()
    }
    expect(await asked('/app/links', '"><script>')).toBeUndefined()
    expect(await asked('/app/links', 'wsp_1a', '')).toBeUndefined()
  })

  test('uses no other cookies', async () => {
    const evil = '"><script>'
    const headers = { Cookie: `slugline_theme=${evil}; slugline_language=${evil}` }
    expect(await get('/app', headers).text()).toContain('<html lang="en" dir="ltr">')
    const dark = await get('/app', { Cookie: 'slugline_theme=dark' }).text()
    expect(dark).toContain('<html lang="en" dir="ltr" data-theme="dark">')
  })

  test('is cached by its entity tag, and keeps the policy of its nonce', () => {
    const ETag = get('/app').headers.get('ETag') as string
    const again = get('/app/links', { 'If-None-Match': `W/"x", ${ETag}` })
    expect(again.status).toBe(304)
    expect(again.headers.has('Content-Security-Policy')).toBe(false)
    expect(get('/app', { 'If-None-Match': ETag, 'Accept-Language': 'fr' }).status).toBe(200)
  })
})

describe('the files', () => {
  test('are cached forever, compressed for clients that accept it', async () => {
    const plain = get('/app/assets/index-abc.js', { 'Accept-Encoding': 'br;q=0, gzip' })
    expect(plain.headers.get('Cache-Control')).toContain('immutable')
    expect(plain.headers.get('Content-Encoding')).toBeNull()
    expect(plain.headers.get('Vary')).toBe('Accept-Encoding')
    expect(await plain.text()).toBe(SCRIPT)
    const small = get('/app/assets/index-abc.js', { 'Accept-Encoding': 'gzip, br' })
    expect(small.headers.get('Content-Encoding')).toBe('br')
    expect(small.headers.get('Content-Type')).toBe('text/javascript; charset=utf-8')
    expect(brotliDecompressSync(await small.arrayBuffer()).toString()).toBe(SCRIPT)
    expect(get('/app/icon.svg').headers.get('Cache-Control')).toBe('public, max-age=3600')
  })

  test('are only those of the build', async () => {
    expect(get('/app/assets/gone-123.js').status).toBe(404)
    for (const path of [
      '/app/assets/%2e%2e/%2e%2e/package.json',
      '/app/.vite/manifest.json',
      '/app//etc/passwd',
      '/app/index.html',
    ]) {
      const response = get(path)
      if (response.status !== 404) expect(await response.text()).toContain('id="root"')
    }
  })
})

test('only safe methods are answered', async () => {
  const response = get('/app', { 'Accept-Language': 'de' }, 'POST')
  expect(response.status).toBe(405)
  expect(response.headers.get('Allow')).toBe('GET, HEAD, OPTIONS')
  expect(response.headers.get('Content-Language')).toBe('de')
  expect(await response.json()).toMatchObject({ error: { code: 'METHOD_NOT_ALLOWED' } })
  const options = get('/app/links', {}, 'OPTIONS')
  expect(options.status).toBe(204)
  expect(options.headers.get('Allow')).toBe('GET, HEAD, OPTIONS')
  const page = get('/app/assets/gone-123.js', { Accept: 'text/html' })
  expect(page.headers.get('Content-Type')).toBe('text/plain; charset=utf-8')
})

test('without a build nothing throws', () => {
  const none = createDashboard({
    files: () => filesBelow(join(dir, 'none')),
    baseUrl: 'http://s.example',
  })
  const response = none(new Request('http://127.0.0.1/app'))
  expect(response.status).toBe(503)
  expect(response.headers.has('Strict-Transport-Security')).toBe(false)
})
