import { afterAll, beforeAll, expect, test } from 'bun:test'
import { PNG } from 'pngjs'
import { type Slugline, startSlugline } from '../harness/process.ts'

let slugline: Slugline

beforeAll(async () => {
  slugline = await startSlugline({ BASE_URL: 'https://sho.rt' })
})
afterAll(() => slugline.dispose())

/** The value of an attribute in the page's link of a kind. */
async function linkOf(path: string, rel: string): Promise<string | undefined> {
  const html = await (await slugline.call('GET', path)).text()
  const [tag = ''] = new RegExp(`<link[^>]*rel="${rel}"[^>]*>`).exec(html) ?? []
  return /href="([^"]+)"/.exec(tag)?.[1]
}

test('pages name a manifest with a share target and icons of the stated sizes', async () => {
  for (const path of ['/app', '/app/links', '/app/sign-in']) {
    expect(await linkOf(path, 'manifest')).toBe('/app/manifest.webmanifest')
    expect(await linkOf(path, 'icon')).toBe('/app/icon.svg')
  }
  const page = await slugline.call('GET', '/app')
  expect(page.headers.get('content-security-policy')).toContain("manifest-src 'self'")
  const response = await slugline.call('GET', '/app/manifest.webmanifest')
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/manifest+json')
  const manifest = (await response.json()) as {
    icons: { src: string; sizes: string; type: string; purpose?: string }[]
  }
  expect(manifest).toMatchObject({
    name: 'Slugline',
    start_url: '/app/',
    scope: '/app/',
    display: 'standalone',
    share_target: {
      action: '/app/links/new',
      method: 'GET',
      params: { title: 'title', text: 'text', url: 'url' },
    },
  })
  expect(manifest.icons.map(({ sizes, purpose = 'any' }) => `${sizes} ${purpose}`)).toEqual([
    '192x192 any',
    '512x512 any',
    '192x192 maskable',
    '512x512 maskable',
  ])
  for (const { src, sizes, type, purpose } of manifest.icons) {
    const icon = await slugline.call('GET', src)
    expect(icon.status).toBe(200)
    expect(icon.headers.get('content-type')).toBe(type)
    const { width, height, data } = PNG.sync.read(Buffer.from(await icon.arrayBuffer()))
    expect(`${width}x${height}`).toBe(sizes)
    // Systems cut a maskable icon into shape themselves.
    expect(data[3]).toBe(purpose === 'maskable' ? 255 : 0)
  }
})

test('pages name a search for the address bar, at the public URL', async () => {
  for (const path of ['/app', '/app/links/new?url=a', '/app/sign-in']) {
    expect(await linkOf(path, 'search')).toBe('/app/opensearch.xml')
  }
  const response = await slugline.call('GET', '/app/opensearch.xml')
  expect(response.status).toBe(200)
  const type = 'application/opensearchdescription+xml'
  expect(response.headers.get('content-type')).toBe(`${type}; charset=utf-8`)
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  const text = await response.text()
  expect(text).toContain('template="https://sho.rt/app/links?q={searchTerms}"')
  expect(text).toContain('<ShortName>Slugline</ShortName>')
  const image = /<Image[^>]*>([^<]+)</.exec(text)?.[1] as string
  expect((await slugline.call('GET', new URL(image).pathname)).status).toBe(200)
  expect((await slugline.call('POST', '/app/opensearch.xml')).status).toBe(405)
})
