import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import jsQR from 'jsqr'
import { PNG } from 'pngjs'
import { createTestDashboard, type TestDashboard } from '../audit/testing/dashboard.ts'

let dashboard: TestDashboard
let id: string
let path: string
beforeAll(async () => {
  dashboard = await createTestDashboard()
  const body = { destination_url: 'https://example.com/', slug: 'code' }
  id = (await dashboard.as('owner', 'POST', '/links', body)).body.id
  path = `/links/${id}/qr`
})
afterAll(() => dashboard.close())

const get = (query = '', headers = {}, as = 'viewer') =>
  dashboard.as(as, 'GET', `${path}${query}`, undefined, headers)

function image(width: number, height: number, text?: string): string {
  const png = new PNG({ width, height, ...(text && { text }) })
  png.data.fill(200)
  return PNG.sync.write(png).toString('base64')
}

const read = async (query: string) => {
  const request = await dashboard.bytes('viewer', `${path}.png${query}`)
  const { data, width, height } = PNG.sync.read(Buffer.from(request))
  return { width, height, text: jsQR(new Uint8ClampedArray(data), width, height)?.data }
}

describe('a QR code', () => {
  test('contains the short URL, as SVG and as PNG of the requested size', async () => {
    const svg = await get('.svg')
    expect([svg.status, svg.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
    expect(svg.headers.get('cache-control')).toBe('private, max-age=300')
    expect(svg.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(svg.body).toContain('width="512"')
    const png = await get('.png')
    expect([png.status, png.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect(await read('?size=200')).toEqual({
      width: 200,
      height: 200,
      text: 'https://s.example/code?qr=1',
    })
    const styled = '?size=300&margin=2&dark=%23112244&light=ffeeddff&correction=Q&modules=dots'
    expect((await read(`${styled}&eyes=circle`)).text).toBe('https://s.example/code?qr=1')
  })

  test('is sent again only if it has changed', async () => {
    for (const kind of ['.svg', '.png']) {
      const etag = (await get(kind)).headers.get('etag') as string
      const again = await get(kind, { 'If-None-Match': etag })
      expect([again.status, again.body, again.headers.get('etag')]).toEqual([304, null, etag])
      const packed = { 'Accept-Encoding': 'gzip' }
      const sent = (await get(kind, packed)).headers.get('etag') as string
      const known = await get(kind, { ...packed, 'If-None-Match': sent })
      expect([known.status, known.headers.get('etag')]).toEqual([304, sent])
      expect((await get(`${kind}?size=100`)).headers.get('etag')).not.toBe(etag)
      expect((await get(`${kind}?size=100`, { 'If-None-Match': etag })).status).toBe(200)
    }
  })

  test('that readers can’t read is refused', async () => {
    const refused = await get('.png?size=64&correction=H')
    expect([refused.status, refused.body.error.code]).toEqual([422, 'QR_UNREADABLE'])
    const [detail] = refused.body.error.details
    expect([detail.field, detail.code]).toEqual(['size', 'OUT_OF_RANGE'])
    for (let size = 64; ; size++) {
      const { status } = await get(`.png?size=${size}&correction=H`)
      if (status === 422) continue
      expect((await read(`?size=${size}&correction=H`)).text).toBe('https://s.example/code?qr=1')
      break
    }
    // Readers see an SVG in any size.
    expect((await get('.svg?size=64&correction=H')).status).toBe(200)
  })

  test('is refused with every fault of its style', async () => {
    const refused = await get(
      '.png?size=63&margin=17&dark=red&correction=X&modules=heart&eyes=&x=1',
    )
    expect(refused.status).toBe(422)
    const wrong = await get('.svg?size=63&margin=-1&dark=red&correction=X&modules=heart&eyes=')
    const codes = wrong.body.error.details.map(({ field, code }: Record<string, string>) => [
      field,
      code,
    ])
    expect(codes).toEqual([
      ['size', 'OUT_OF_RANGE'],
      ['margin', 'OUT_OF_RANGE'],
      ['dark', 'INVALID_COLOR'],
      ['correction', 'INVALID_VALUE'],
      ['modules', 'INVALID_VALUE'],
      ['eyes', 'INVALID_VALUE'],
    ])
  })

  test('that cameras can’t read is refused', async () => {
    for (const kind of ['.svg', '.png']) {
      const { status, body } = await get(`${kind}?dark=%23aaaaaa`)
      expect([status, body.error.code]).toEqual([422, 'QR_UNREADABLE'])
      expect(body.error.details).toMatchObject([{ field: 'dark', code: 'LOW_CONTRAST' }])
    }
    expect((await get('.svg?dark=767676')).status).toBe(200)
  })
})

describe('the logo', () => {
  test('is re-encoded, and drawn on codes that support it', async () => {
    const without = await get('.svg?logo=true')
    expect(without.body.error.details).toMatchObject([{ field: 'logo', code: 'NO_LOGO' }])
    expect((await dashboard.as('viewer', 'GET', '/logo')).body.error.code).toBe('LOGO_NOT_FOUND')
    const upload = { image: image(2000, 1000) }
    expect((await dashboard.as('viewer', 'PUT', '/logo', upload)).status).toBe(403)
    const made = await dashboard.as('member', 'PUT', '/logo', upload)
    expect([made.status, made.body.width, made.body.height]).toEqual([200, 512, 256])
    expect((await dashboard.as('viewer', 'GET', '/logo')).body).toEqual(made.body)
    const svg = await get('.svg?logo=true')
    expect(svg.body).toContain(`data:image/png;base64,${made.body.image}`)
    expect((await read('?size=200&logo=true')).text).toBe('https://s.example/code?qr=1')
    for (const correction of ['L', 'M']) {
      const refused = await get(`.png?logo=true&correction=${correction}&light=%23111111`)
      expect([refused.status, refused.body.error.code]).toEqual([422, 'QR_UNREADABLE'])
      expect(refused.body.error.details).toMatchObject([
        { field: 'dark', code: 'LOW_CONTRAST' },
        { field: 'logo', code: 'LOGO_TOO_LARGE' },
      ])
    }
    // Another logo is another code.
    const etag = svg.headers.get('etag') as string
    await dashboard.as('member', 'PUT', '/logo', { image: image(30, 30) })
    expect((await get('.svg?logo=true', { 'If-None-Match': etag })).status).toBe(200)
    expect((await dashboard.as('member', 'DELETE', '/logo')).status).toBe(204)
    expect((await dashboard.as('member', 'DELETE', '/logo')).status).toBe(404)
    const entries = (await dashboard.entries()).filter(({ after }) => after.includes('logo'))
    expect(entries.map(({ before, after }) => [JSON.parse(before), JSON.parse(after)])).toEqual([
      [{ logo: null }, { logo: '512 × 256' }],
      [{ logo: '512 × 256' }, { logo: '30 × 30' }],
      [{ logo: '30 × 30' }, { logo: null }],
    ])
  })

  test('takes PNG, JPEG and WebP, of which only the pixels are kept', async () => {
    const png = Buffer.from(image(80, 40), 'base64')
    const hidden = Buffer.from('<script>hidden</script>')
    const uploads = [
      Buffer.concat([png, hidden]),
      Buffer.from(await new Bun.Image(png).jpeg().bytes()),
      Buffer.from(await new Bun.Image(png).webp().bytes()),
    ]
    for (const bytes of uploads) {
      const made = await dashboard.as('owner', 'PUT', '/logo', { image: bytes.toString('base64') })
      expect([made.status, made.body.width, made.body.height]).toEqual([200, 80, 40])
      const kept = Buffer.from(made.body.image, 'base64')
      expect(kept.subarray(1, 4).toString()).toBe('PNG')
      expect(kept.includes(hidden)).toBe(false)
    }
  })

  test('refuses other files and images that are too large', async () => {
    const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')
    const claims = Buffer.from(image(2, 2), 'base64')
    claims.writeUInt32BE(60_000, 16)
    const broken = Buffer.from(image(90, 90), 'base64').subarray(0, 60)
    const images = [gif, svg, claims, broken].map((bytes) => bytes.toString('base64'))
    for (const upload of ['', 'no base64!', image(4_097, 1), ...images]) {
      const { status, body } = await dashboard.as('owner', 'PUT', '/logo', { image: upload })
      expect([status, body.error.details[0].code]).toEqual([422, 'INVALID_IMAGE'])
    }
    const large = { image: 'A'.repeat(2_000_000) }
    expect((await dashboard.as('owner', 'PUT', '/logo', large)).status).toBe(413)
  })
})

describe("the workspace's style", () => {
  const PATH = '/workspace/qr-style'
  const put = (body: object, as = 'member') => dashboard.as(as, 'PUT', PATH, body)
  const style = {
    margin: 1,
    dark: '#112244',
    light: '#ffeedd',
    correction: 'L',
    modules: 'dots',
    eyes: 'circle',
    logo: false,
  }

  test('is saved by members, and codes have it where a request says nothing else', async () => {
    const plain = await dashboard.as('viewer', 'GET', PATH)
    expect(plain.body).toEqual({
      margin: 4,
      dark: '#000000',
      light: '#ffffff',
      correction: 'M',
      modules: 'square',
      eyes: 'square',
      logo: false,
    })
    const before = await get('.svg')
    expect((await put(style, 'viewer')).status).toBe(403)
    const set = await put({ ...style, light: '#FFEEDD' })
    expect([set.status, set.body]).toEqual([200, style])
    expect((await put(style)).status).toBe(200)
    expect((await dashboard.as('viewer', 'GET', PATH)).body).toEqual(style)

    const saved = await get('.svg')
    const asked = `.svg?${new URLSearchParams(style as never)}`
    expect(saved.headers.get('etag')).toBe((await get(asked)).headers.get('etag'))
    expect(saved.headers.get('etag')).not.toBe(before.headers.get('etag'))
    expect((await get(`.svg?${new URLSearchParams(plain.body)}`)).body).toBe(before.body)
    expect((await get('.svg?dark=000000')).body.includes('#ffeedd')).toBe(true)

    const entries = (await dashboard.entries()).filter(({ after }) => after.includes('qr_'))
    expect(entries.map(({ action, before, after }) => [action, before, after])).toEqual([
      [
        'workspace.updated',
        '{"qr_margin":4,"qr_dark":"#000000","qr_light":"#ffffff","qr_correction":"M","qr_modules":"square","qr_eyes":"square"}',
        '{"qr_margin":1,"qr_dark":"#112244","qr_light":"#ffeedd","qr_correction":"L","qr_modules":"dots","qr_eyes":"circle"}',
      ],
    ])
  })

  test('has the logo where there is one and the correction bears it', async () => {
    const hasLogo = async (query = '') => (await get(`.svg${query}`)).body.includes('data:image')
    await dashboard.as('member', 'DELETE', '/logo')
    expect((await put({ ...style, correction: 'Q', logo: true })).status).toBe(200)
    expect(await hasLogo()).toBe(false)
    await dashboard.as('member', 'PUT', '/logo', { image: image(30, 30) })
    expect(await hasLogo()).toBe(true)
    expect((await read('?size=200')).text).toBe('https://s.example/code?qr=1')
    expect(await hasLogo('?logo=false')).toBe(false)
    expect(await hasLogo('?correction=L')).toBe(false)
    expect((await get('.svg?logo=true&correction=L')).status).toBe(422)
  })

  test('is refused with every fault', async () => {
    const wrong = { ...style, margin: 17, dark: 'red', light: '#11223344', eyes: 'x', size: 1 }
    const { status, body } = await put(wrong)
    expect([status, body.error.details.map(({ code }: { code: string }) => code)]).toEqual([
      422,
      ['OUT_OF_RANGE', 'INVALID_COLOR', 'INVALID_COLOR', 'INVALID_VALUE', 'UNKNOWN_FIELD'],
    ])
    const unreadable = await put({ ...style, dark: '#eeeeee', logo: true })
    expect([unreadable.status, unreadable.body.error.code]).toEqual([422, 'QR_UNREADABLE'])
    expect(unreadable.body.error.details).toHaveLength(2)
  })
})
