import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CHROMIUM, launchChromium } from '../browser/chromium.ts'
import { type Slugline, startSlugline } from '../harness/process.ts'
import { type Packed, packSdk, TSC } from './packed.ts'

/** What programs that use it download, compressed. */
const MOST_BYTES = 12_000

let packed: Packed
let slugline: Slugline
let key: string
beforeAll(async () => {
  packed = packSdk()
  slugline = await startSlugline({ OUTGOING_ALLOWED_NETWORKS: '127.0.0.0/8' })
  ;({ key } = await slugline.createKey({ scopes: 'links:read,links:write,events:read' }))
})
afterAll(async () => {
  packed?.dispose()
  await slugline?.dispose()
})

/** The samples of the README. */
function readme(): string[] {
  const text = readFileSync(join(packed.installed, 'README.md'), 'utf8')
  return [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code as string)
}

test('the package has no dependencies, types, and at most 12 kB compressed', async () => {
  const manifest = JSON.parse(readFileSync(join(packed.installed, 'package.json'), 'utf8'))
  expect(manifest.dependencies).toBeUndefined()
  const entry = join(packed.installed, 'dist/index.js')
  const { outputs } = await Bun.build({ entrypoints: [entry], minify: true, target: 'browser' })
  const text = await (outputs[0] as Blob).text()
  expect(Bun.gzipSync(Buffer.from(text)).length).toBeLessThanOrEqual(MOST_BYTES)
  // Nothing of Node.js or Bun, so that browsers and workers can run it.
  expect(text).not.toMatch(/node:|require\(|process\.|Bun\.|Buffer/)
})

test('the samples of the README have the types that the package says', () => {
  const prelude = `
declare const process: { env: Record<string, string | undefined> }
declare let lastId: string | undefined
declare const body: string, secret: string, request: Request
`
  writeFileSync(join(packed.project, 'readme.ts'), prelude + readme().join('\n'))
  const wrong = `import { Slugline } from '@slugline/sdk'
const slugline = new Slugline({ baseUrl: '' })
// @ts-expect-error
await slugline.links.create({ url: 'https://example.com' })
// @ts-expect-error
await slugline.links.list({ serch: 'a' }).page()
// @ts-expect-error
;(await slugline.links.get('lnk_1')).clicks.totl
`
  writeFileSync(join(packed.project, 'wrong.ts'), wrong)
  const options = ['--noEmit', '--strict', '--target', 'esnext', '--module', 'nodenext']
  packed.run([TSC, ...options, '--ignoreConfig', '--types', '', 'readme.ts', 'wrong.ts'])
})

test.each(['node', process.execPath])('the first lines of the README work in %s', (program) => {
  const code = (readme()[0] ?? '').replace('https://sho.rt', slugline.url)
  expect(code.trim().split('\n').length).toBeLessThanOrEqual(12)
  const file = join(packed.project, 'first.mjs')
  writeFileSync(file, new Bun.Transpiler({ loader: 'ts' }).transformSync(code))
  const lines = packed.run([program, file], { SLUGLINE_API_KEY: key }).trim().split('\n')
  expect(lines[0]).toStartWith(slugline.url)
  expect(lines.at(-1)).toBe('0')
})

/** Creates links, follows the feed until it has them, and fails as a program might. */
const PROGRAM = `
const after = (await slugline.events.list({ after: 'latest' })).pagination.next_cursor
const made = []
for (let i = 0; i < 3; i++) {
  made.push((await slugline.links.create({ destination_url: 'https://example.com/' + i })).id)
}
const seen = []
for await (const event of slugline.events.follow({ after })) {
  if (event.type === 'link.created') seen.push(event.object.id)
  if (seen.length === 3) break
}
const listed = []
for await (const link of slugline.links.list({ limit: 1, id: made })) listed.push(link.id)
const { code, requestId } = await slugline.links.get('lnk_nowhere').catch((error) => error)
const svg = await (await slugline.links.qrSvg(made[0])).text()
const key = 'once-' + Math.random()
const one = await slugline.links.create({ destination_url: 'https://example.com/' }, { idempotencyKey: key })
const two = await slugline.links.create({ destination_url: 'https://example.com/' }, { idempotencyKey: key })
const deleted = await slugline.links.delete(made[0])
const result = {
  inOrder: JSON.stringify(seen) === JSON.stringify(made),
  listed: listed.length,
  code,
  hasRequestId: requestId.startsWith('req_'),
  svg: svg.includes('<svg'),
  isOnce: one.id === two.id,
  deleted: deleted === undefined,
}
`
const EXPECTED = {
  inOrder: true,
  listed: 3,
  code: 'LINK_NOT_FOUND',
  hasRequestId: true,
  svg: true,
  isOnce: true,
  deleted: true,
}

test.each(['node', process.execPath])('a program works against a real server in %s', (program) => {
  const file = join(packed.project, 'program.mjs')
  const options = JSON.stringify({ baseUrl: slugline.url, apiKey: key })
  const code = `import { Slugline } from '@slugline/sdk'
const slugline = new Slugline(${options})
${PROGRAM}
console.log(JSON.stringify(result))
`
  writeFileSync(file, code)
  expect(JSON.parse(packed.run([program, file]))).toEqual(EXPECTED)
})

test('a delivered webhook is valid by its secret and by its public key', async () => {
  const { Slugline: Client, verifyWebhook } = (await import(
    join(packed.installed, 'dist/index.js')
  )) as typeof import('../../sdk/typescript/src/index.ts')
  const received = Promise.withResolvers<{ body: string; headers: Headers }>()
  const receiver = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      received.resolve({ body: await request.text(), headers: request.headers })
      return new Response()
    },
  })
  try {
    const scopes = 'links:write,webhooks:read,webhooks:write,events:read'
    const { key: apiKey } = await slugline.createKey({ scopes, workspace: 'hooks' })
    const client = new Client({ baseUrl: slugline.url, apiKey })
    const webhook = await client.webhooks.create({
      url: `${receiver.url}`,
      types: ['link.created'],
    })
    const link = await client.links.create({ destination_url: 'https://example.com/' })
    const { body, headers } = await received.promise
    for (const secret of [webhook.secret, webhook.public_key]) {
      expect(await verifyWebhook<unknown>({ body, headers, secret })).toMatchObject({
        type: 'link.created',
        object: { id: link.id },
      })
    }
  } finally {
    await receiver.stop(true)
  }
})

test.skipIf(CHROMIUM === null)(
  'it works in a browser and in a worker, from another origin',
  async () => {
    const options = JSON.stringify({ baseUrl: slugline.url, apiKey: key })
    const head = `import { Slugline } from '/sdk.js'\nconst slugline = new Slugline(${options})\n`
    const entry = join(packed.installed, 'dist/index.js')
    const { outputs } = await Bun.build({ entrypoints: [entry], target: 'browser' })
    const files: Record<string, string> = {
      '/sdk.js': await (outputs[0] as Blob).text(),
      '/page.js': `${head}${PROGRAM}\nexport default result`,
      '/worker.js': `${head}${PROGRAM}\npostMessage(result)`,
    }
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: ({ url }) => {
        const { pathname } = new URL(url)
        const type = pathname.endsWith('.js') ? 'text/javascript' : 'text/html'
        return new Response(files[pathname] ?? '', { headers: { 'Content-Type': type } })
      },
    })
    const browser = await launchChromium()
    try {
      const page = await browser.newPage()
      await page.goto(`${server.url}`)
      expect(await page.evaluate(`import('/page.js').then((module) => module.default)`)).toEqual(
        EXPECTED,
      )
      const inWorker = `new Promise((resolve, reject) => {
      const worker = new Worker('/worker.js', { type: 'module' })
      worker.onmessage = ({ data }) => resolve(data)
      worker.onerror = ({ message }) => reject(new Error(message))
    })`
      expect(await page.evaluate(inWorker)).toEqual(EXPECTED)
    } finally {
      await browser.close()
      await server.stop(true)
    }
  },
)
