import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { type OpenApiParts, openApiDocument } from '../../http/index.ts'
import { createTestApi } from '../../http/testing/api.ts'
import { PUBLIC_ERROR_CODES } from '../../lib/errors/index.ts'
import { LOCALES, translate } from '../../lib/i18n/index.ts'
import { createDocs } from './index.ts'
import { referencePage } from './page.ts'
import { html, prose } from './schema.ts'

const t = await createTestApi()
beforeAll(() => {
  const document = () => JSON.parse(JSON.stringify(openApiDocument(t.api.endpoints)))
  const docs = createDocs({
    document: document as () => OpenApiParts,
    baseUrl: 'https://s.example',
  })
  t.api.addPage('/docs', docs.reference)
  t.api.addPage('/docs/errors', docs.errors)
})
afterAll(() => t.close())

async function page(query = '', headers: Record<string, string> = {}, path = '/docs') {
  const response = await t.send('GET', `${path}${query}`, { headers })
  return { response, text: await response.text() }
}

describe('the reference page', () => {
  test('loads nothing, and runs only the search', async () => {
    const { response, text } = await page()
    expect(response.status).toBe(200)
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('X-Request-Id')).toStartWith('req_')
    const policy = response.headers.get('Content-Security-Policy') as string
    expect(policy).toStartWith("default-src 'none'")
    expect(policy).not.toContain('unsafe')
    expect(text.match(/<script/g)).toHaveLength(1)
    const foreign = /<script |<link|<img|<iframe| src=| style=| on[a-z]+=|@import|url\(|import\(/
    const found = foreign.exec(text)?.[0]
    expect(found).toBeUndefined()
    expect(text.length).toBeLessThan(100_000)
  })

  test.each(['style', 'script'])('has the %s that its policy allows', async (name) => {
    const { response, text } = await page()
    const [, inner = ''] = new RegExp(`<${name}>([\\s\\S]*?)</${name}>`).exec(text) ?? []
    const hash = new Bun.CryptoHasher('sha256').update(inner).digest('base64')
    expect(response.headers.get('Content-Security-Policy')).toContain(
      `${name}-src 'sha256-${hash}'`,
    )
  })

  test('has every endpoint, with a call to this instance', async () => {
    const { text } = await page()
    for (const { operationId } of t.api.endpoints) {
      expect(text).toContain(`id="${operationId}"`)
      expect(text).toContain(`href="#${operationId}"`)
    }
    expect(text).toContain('https://s.example/api/v1/hosts')
  })

  test('has complete calls to copy, without placeholders in braces', async () => {
    const document = await Bun.file(join(import.meta.dir, '../../../openapi.json')).json()
    const text = referencePage(document, 'https://s.example')
    expect(text).not.toMatch(/curl .*[{}]/)
    const call = (path: string) =>
      new RegExp(`curl (-. )?&#39;https://s.example${path}&#39;`).exec(text)?.[1] ?? ''
    expect(text).toContain('https://s.example/api/v1/stats/country&#39;')
    expect(call('/api/v1/clicks/stream')).toBe('-N ')
    expect(call('/api/v1/clicks.parquet')).toBe('-O ')
  })

  test('has no broken anchors and no duplicate ids', async () => {
    for (const path of ['/docs', '/docs/errors']) await checkAnchors(path)
  })

  async function checkAnchors(path: string) {
    const { text } = await page('', {}, path)
    const other = (await page('', {}, '/docs/errors')).text
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id as string)
    expect(new Set(ids).size).toBe(ids.length)
    for (const [, target] of text.matchAll(/href="#([^"]+)"/g))
      expect(ids).toContain(target as string)
    for (const [, target] of text.matchAll(/href="\/docs\/errors#([^"]+)"/g))
      expect(other).toContain(` id="${target}"`)
  }

  test('explains every code in the visitor’s language', async () => {
    for (const locale of LOCALES) {
      const { response, text } = await page(`?lang=${locale}`, {}, '/docs/errors')
      expect(response.headers.get('Content-Language')).toEndWith(locale)
      for (const code of PUBLIC_ERROR_CODES) expect(text).toContain(`id="${code}"`)
      expect(text).toContain(String(html`${translate(locale, 'error.NOT_FOUND')}`))
    }
  })

  test('shows the members of objects in objects with their own object', async () => {
    const { text } = await page()
    expect(text).toContain('<a href="#ErrorBody">')
    const members = text.slice(text.indexOf('id="ErrorBody"'))
    for (const member of ['code', 'details']) expect(members).toContain(`<code>${member}</code>`)
  })

  test('has messages with all parameters filled in', async () => {
    for (const locale of LOCALES) {
      expect((await page(`?lang=${locale}`, {}, '/docs/errors')).text).not.toContain('…')
    }
  })

  test('is revalidated by its entity tag', async () => {
    const { response } = await page()
    const headers = { 'If-None-Match': response.headers.get('ETag') as string }
    expect((await page('', headers)).response.status).toBe(304)
    const errors = await page('?lang=de', {}, '/docs/errors')
    const own = { 'If-None-Match': errors.response.headers.get('ETag') as string }
    expect((await page('?lang=de', own, '/docs/errors')).response.status).toBe(304)
    expect((await page('?lang=fr', own, '/docs/errors')).response.status).toBe(200)
    expect((await t.send('HEAD', '/docs/')).status).toBe(200)
    expect((await t.send('POST', '/docs')).status).toBe(405)
  })
})

test('text is escaped, code is marked', () => {
  expect(String(html`<p title="${'"<&'}">${['<', '>']}</p>`)).toBe(
    '<p title="&quot;&lt;&amp;">&lt;&gt;</p>',
  )
  expect(String(prose('a `<b>` c\n\nd'))).toBe('<p>a <code>&lt;b&gt;</code> c</p>\n<p>d</p>\n')
})
