import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createServer, type Socket } from 'node:net'
import { createTestApi, type TestApi } from '../../http/testing/api.ts'
import { createOutgoing } from '../../platform/outgoing/index.ts'
import { NO_DETAILS, type PageDetails } from './read-page.ts'
import { registerPageDetailsRoute } from './routes.ts'
import { createPageDetails } from './service.ts'

const CONSTANT_MS = 50
const PATH = '/api/v1/page-details'

/** Bodies by path, in the server's encoding, with their headers. */
const pages = new Map<string, { body: Uint8Array | string; headers?: Record<string, string> }>()
/** Requested paths; those of the address that may not be called have a prefix. */
const asked: string[] = []
const asking: Headers[] = []
let server: ReturnType<typeof Bun.serve>
let forbidden: ReturnType<typeof Bun.serve>
let site: TestApi
let url: string

const HTML = { 'Content-Type': 'text/html' }

/** A name server: `both.example` also has an address that may not be called. */
const NAMES: Record<string, string[]> = {
  'ok.example': ['127.0.0.1'],
  'private.example': ['127.0.0.2'],
  'both.example': ['127.0.0.1', '127.0.0.2'],
}
async function resolve(host: string) {
  const found = NAMES[host]
  if (found === undefined) throw Object.assign(new Error('ENOTFOUND'), { code: 'ENOTFOUND' })
  return found.map((address) => ({ address, family: 4 }))
}

async function siteWith(deps: Partial<Parameters<typeof createPageDetails>[0]> = {}) {
  const outgoing = createOutgoing({ allowedNetworks: ['127.0.0.1/32'], resolve })
  const made = await createTestApi()
  const pageDetails = createPageDetails({ outgoing, constantMs: CONSTANT_MS, ...deps })
  registerPageDetailsRoute(made.api, { pageDetails })
  return made
}

beforeAll(async () => {
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const { pathname } = new URL(request.url)
      asked.push(pathname)
      asking.push(request.headers)
      const page = pages.get(pathname)
      if (page === undefined) return new Response('nothing', { status: 404, headers: HTML })
      const status = page.headers?.Location === undefined ? 200 : 302
      return new Response(page.body as string, { status, headers: page.headers ?? HTML })
    },
  })
  forbidden = Bun.serve({
    port: 0,
    hostname: '127.0.0.2',
    fetch(request) {
      asked.push(`forbidden ${new URL(request.url).pathname}`)
      return new Response('<title>inside</title>', { headers: HTML })
    },
  })
  url = `http://127.0.0.1:${server.port}`
  site = await siteWith()
})
afterAll(async () => {
  await server.stop(true)
  await forbidden.stop(true)
  await site.close()
})

async function details(address: string): Promise<PageDetails> {
  const answer = await site.send('POST', PATH, { body: { url: address } })
  expect(answer.status).toBe(200)
  return (await answer.json()) as PageDetails
}

/** What a document has. */
async function of(body: Uint8Array | string, headers: Record<string, string> = HTML) {
  pages.set('/page', { body, headers })
  return details(`${url}/page`)
}

describe('what a page says about itself', () => {
  test('is its title and description, Open Graph first, and its picture', async () => {
    const plain = '<title>Plain</title><meta name="description" content="Plainly">'
    expect(await of(plain)).toEqual({ ...NO_DETAILS, title: 'Plain', description: 'Plainly' })
    const graph = `
      <META PROPERTY="og:title" CONTENT="Graph"><meta name=og:description content='Said'>
      <meta property="og:image" content="/a/b.png?c=1&amp;d=2">`
    expect(await of(plain + graph)).toEqual({
      title: 'Graph',
      description: 'Said',
      image_url: `${url}/a/b.png?c=1&d=2`,
    })
    expect(await of(`${plain}<meta property="og:title" content="  ">`)).toMatchObject({
      title: 'Plain',
    })
    expect(asking.at(-1)?.get('accept')).toStartWith('text/html')
  })

  test('is not what comments, scripts or later titles say', async () => {
    const html = `<!-- <title>Comment</title> --><script>"<title>Script</title>"</script>
      <title>Own</title><svg><title>Drawing</title></svg>`
    expect((await of(html)).title).toBe('Own')
  })

  test('has its entities decoded, in one line, without control characters', async () => {
    const html = `<title>\n  Caf&eacute; &amp; Bar &#8211;\u0007 &#x1F600;&nbsp;&lt;b&gt; &#150;
      &CounterClockwiseContourIntegral; &nosuch; a & b&#0;&#xD800;</title>
      <meta name="description" content="&quot;&hellip;&quot;">`
    expect(await of(html, { 'Content-Type': 'text/html; charset=utf-8' })).toMatchObject({
      title: 'Café & Bar – 😀 <b> – ∳ &nosuch; a & b��',
      description: '"…"',
    })
  })

  test('is as long as the fields permit', async () => {
    const long = `<title>${'😀'.repeat(300)}</title><meta name=description content="${'é'.repeat(600)}">`
    const { title, description } = await of(long, { 'Content-Type': 'text/html; charset=utf-8' })
    expect([...(title ?? '')]).toHaveLength(255)
    expect(description).toHaveLength(500)
  })

  test.each([
    ['', null],
    ['ftp://host/a.png', null],
    ['javascript:alert(1)', null],
    ['http://user:word@host.example/a.png', null],
    ['//cdn.example/a.png', 'http://cdn.example/a.png'],
    [`https://cdn.example/${'a'.repeat(9_000)}`, null],
  ])('has only an http or https picture, %#', async (content, image_url) => {
    expect(await of(`<meta property="og:image" content="${content}">`)).toMatchObject({ image_url })
  })
})

describe('the encoding', () => {
  const RUSSIAN = Uint8Array.of(0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2)
  const JAPANESE = Uint8Array.of(0x83, 0x6e, 0x83, 0x8d, 0x81, 0x5b)
  const around = (head: string, title: Uint8Array) =>
    Buffer.concat([Buffer.from(`${head}<title>`), title, Buffer.from('</title>')])

  test('is that of the header', async () => {
    const headers = { 'Content-Type': 'text/html;charset="Windows-1251"' }
    expect((await of(around('<meta charset=utf-8>', RUSSIAN), headers)).title).toBe('Привет')
  })

  test('or of a meta element', async () => {
    const type = '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">'
    expect((await of(around(type, RUSSIAN))).title).toBe('Привет')
    expect((await of(around('<meta charset="shift_jis">', JAPANESE))).title).toBe('ハロー')
  })

  test('or of a byte order mark, or else UTF-8', async () => {
    const utf16 = Buffer.from('\ufeff<title>Ђ</title>', 'utf16le')
    expect((await of(utf16)).title).toBe('Ђ')
    expect((await of(around('<meta charset=nonsense>', Buffer.from('Ђ')))).title).toBe('Ђ')
    expect((await of(around('<meta charset=utf-16>', Buffer.from('Ђ')))).title).toBe('Ђ')
  })
})

describe('a page that can’t be read', () => {
  test('has no details: other types, compressed, other statuses', async () => {
    const body = '<title>no</title>'
    for (const type of ['text/plain', 'application/json', 'image/svg+xml', 'text/html-ish']) {
      expect(await of(body, { 'Content-Type': type })).toEqual(NO_DETAILS)
    }
    const zipped = { ...HTML, 'Content-Encoding': 'gzip' }
    expect(await of(Bun.gzipSync(body), zipped)).toEqual(NO_DETAILS)
    expect(await details(`${url}/missing`)).toEqual(NO_DETAILS)
  })

  test('is read up to its bound, and no further', async () => {
    let sent = 0
    let closed = Promise.withResolvers<void>()
    const endless = createServer((socket: Socket) => {
      socket.on('error', () => {})
      socket.on('close', () => closed.resolve())
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>Start</title>')
        const more = () => {
          while (!socket.destroyed && socket.write(' '.repeat(65_536))) sent += 65_536
          if (!socket.destroyed) socket.once('drain', more)
        }
        more()
      })
    })
    await new Promise<void>((done) => endless.listen(0, '127.0.0.1', done))
    const { port } = endless.address() as { port: number }
    expect((await details(`http://127.0.0.1:${port}/`)).title).toBe('Start')
    await closed.promise
    // What the sockets hold is sent, but not read.
    expect(sent).toBeLessThan(32 * 1_024 * 1_024)
    closed = Promise.withResolvers()
    endless.close()
    const late = `${' '.repeat(512 * 1_024)}<title>late</title>`
    expect(await of(late)).toEqual(NO_DETAILS)
  })

  test('is given up when it is slow, at any stage', async () => {
    const { promise: never } = Promise.withResolvers<never>()
    const silent = createServer((socket: Socket) => void socket.on('error', () => {}))
    const dripping = createServer((socket: Socket) => {
      socket.on('error', () => {})
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>x</title>')
    })
    const ports = await Promise.all(
      [silent, dripping].map(async (one) => {
        await new Promise<void>((done) => one.listen(0, '127.0.0.1', done))
        return (one.address() as { port: number }).port
      }),
    )
    const outgoing = createOutgoing({
      allowedNetworks: ['127.0.0.1/32'],
      resolve: (host) => (host === 'slow.example' ? never : resolve(host)),
    })
    const slow = await siteWith({ outgoing })
    const addresses = [...ports.map((port) => `http://127.0.0.1:${port}/`), 'http://slow.example/']
    const seen = await Promise.all(
      addresses.map(async (address) =>
        (await slow.send('POST', PATH, { body: { url: address } })).json(),
      ),
    )
    expect(seen).toEqual([NO_DETAILS, NO_DETAILS, NO_DETAILS])
    silent.close()
    dripping.close()
    await slow.close()
  }, 60_000)
})

describe('an address that may not be called', () => {
  test('is answered like one that doesn’t exist, and isn’t called', async () => {
    const to = (Location: string) => ({ body: '', headers: { Location } })
    const inside = `http://127.0.0.2:${forbidden.port}/`
    pages.set('/inside', to(inside))
    pages.set('/dead', to('http://127.0.0.1:1/'))
    pages.set('/file', to('file:///etc/passwd'))
    pages.set('/loop', to('/loop'))
    const addresses = [
      ...['http://127.0.0.1:1/', 'http://nowhere.example/', `${url}/dead`],
      ...[inside, `http://private.example:${forbidden.port}/`, 'http://169.254.169.254/'],
      ...[`http://both.example:${server.port}/page`, `http://[::1]:${forbidden.port}/`],
      ...[`${url}/inside`, `${url}/file`, `${url}/loop`, 'http://10.0.0.1/', 'http://0/'],
    ]
    asked.length = 0
    for (const address of addresses) {
      const before = performance.now()
      const answer = await site.send('POST', PATH, { body: { url: address } })
      expect([address, answer.status, await answer.text()]).toEqual([
        address,
        200,
        JSON.stringify(NO_DETAILS),
      ])
      // How soon it failed is not seen.
      expect(performance.now() - before).toBeGreaterThanOrEqual(CONSTANT_MS - 2)
    }
    expect(asked.filter((path) => !/^\/(?:inside|dead|file|loop)$/.test(path))).toEqual([])
    pages.set('/page', { body: '<title>Named</title>' })
    expect((await details(`http://ok.example:${server.port}/page`)).title).toBe('Named')
  })

  test('only its form is checked', async () => {
    for (const [given, code] of [
      ['nothing', 'INVALID_URL'],
      ['ftp://example.com/', 'URL_SCHEME_NOT_ALLOWED'],
      ['http://user:word@example.com/', 'URL_HAS_CREDENTIALS'],
      [`http://example.com/${'a'.repeat(9_000)}`, 'TOO_LONG'],
    ]) {
      const answer = await site.send('POST', PATH, { body: { url: given } })
      const { error } = (await answer.json()) as { error: { details: unknown } }
      expect([answer.status, error.details]).toMatchObject([422, [{ field: 'url', code }]])
    }
  })
})

test('a few pages are requested at the same time', async () => {
  const held = Promise.withResolvers<never>()
  const outgoing = { send: () => held.promise }
  const busy = await siteWith({ outgoing, constantMs: 0 })
  const send = () => busy.send('POST', PATH, { body: { url: 'http://example.com/' } })
  const open = Array.from({ length: 4 }, send)
  const refused = await send()
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  held.reject(new Error('away'))
  for (const answer of await Promise.all(open)) expect(answer.status).toBe(200)
  expect((await send()).status).toBe(200)
  await busy.close()
})

test('a hostile page doesn’t hold the process', async () => {
  const half = 256 * 1_024
  const hostile = [
    '<meta content=a name=b>'.repeat(22_000),
    `<title>${'&amp;'.repeat(100_000)}</title>`,
    `<meta property=og:title content="${'&amp;'.repeat(100_000)}">`,
    '<title>'.repeat(70_000),
    '<div>'.repeat(100_000),
    '<p>'.repeat(174_000),
    `<meta ${'charset '.repeat(60_000)}`,
    `<meta charset${' '.repeat(half)}`,
    `<meta property=og:image content="${'/'.repeat(500_000)}">`,
    `<title>${' '.repeat(500_000)}x</title>`,
    '<'.repeat(500_000),
  ]
  /** The most processor time between two turns of the event loop, in milliseconds. */
  async function holdOf(html: string): Promise<number> {
    pages.set('/page', { body: html })
    let last = process.cpuUsage()
    let longest = 0
    const timer = setInterval(() => {
      const { user, system } = process.cpuUsage(last)
      longest = Math.max(longest, (user + system) / 1_000)
      last = process.cpuUsage()
    }, 1)
    await details(`${url}/page`)
    await Bun.sleep(2)
    clearInterval(timer)
    return longest
  }
  for (const html of hostile) {
    let least = Number.POSITIVE_INFINITY
    // Other threads of the process may work at the same time.
    for (let tries = 0; tries < 4 && least >= 250; tries++) {
      least = Math.min(least, await holdOf(html))
    }
    expect([html.slice(0, 20), least < 250]).toEqual([html.slice(0, 20), true])
  }
})
