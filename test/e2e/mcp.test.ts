import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { request as httpRequest } from 'node:http'
import { SCOPES } from '../../src/model/keys/scopes.ts'
import { connectHttp, connectStdio, type Mcp, REVISIONS } from '../harness/mcp.ts'
import { writePlans } from '../harness/plans.ts'
import { BASE_ENV, runCommand, type Slugline, startSlugline } from '../harness/process.ts'

/** Every tool in the order of the list, with the scopes that it needs and arguments that it accepts. */
const TOOLS: Readonly<Record<string, { scopes: string[]; args: Record<string, unknown> }>> = {
  find_links: { scopes: ['links:read'], args: {} },
  get_link: { scopes: ['links:read'], args: { link: 'LINK' } },
  create_link: { scopes: ['links:create'], args: { destination_url: 'https://example.com/' } },
  update_link: { scopes: ['links:write'], args: { link: 'LINK', title: 'New' } },
  delete_link: { scopes: ['links:write'], args: { link: 'LINK' } },
  restore_link: { scopes: ['links:write'], args: { link: 'LINK' } },
  bulk_change_links: {
    scopes: ['links:read', 'links:write'],
    args: { search: 'example.com', add_tags: ['a'] },
  },
  get_history: { scopes: ['links:read'], args: {} },
  get_statistics: { scopes: ['stats:read'], args: {} },
  explain_visit: { scopes: ['links:read'], args: { link: 'LINK' } },
  get_qr_code: { scopes: ['links:read'], args: { link: 'LINK' } },
  tags_and_folders: { scopes: ['links:read'], args: {} },
  get_job_status: { scopes: ['links:read'], args: {} },
  list_events: { scopes: ['events:read'], args: {} },
}
const NAMES = Object.keys(TOOLS)

/** Which scopes another one includes. */
const INCLUDED: Readonly<Record<string, string[]>> = {
  'links:read': ['links:read', 'stats:read'],
  'links:write': ['links:write', 'links:create'],
}
const held = (scopes: string) => scopes.split(',').flatMap((scope) => INCLUDED[scope] ?? [scope])

/** Each scope alone, and the usual kinds of key. */
const KINDS = [...SCOPES, 'links:read,links:write', SCOPES.join(',')]

let slugline: Slugline
let key: string
beforeAll(async () => {
  slugline = await startSlugline({ SLUGLINE_DOMAINS: 'go.example', LOG_LEVEL: 'info' })
  key = await keyFor('links:read,links:write,events:read')
})
afterAll(() => slugline?.dispose())

const keyFor = async (scopes: string, more: { plan?: string; workspace?: string } = {}) =>
  (await slugline.createKey({ scopes, ...more })).key
const link = async (body: object = {}) => {
  const answer = await slugline.call('POST', '/api/v1/links', {
    key,
    body: { destination_url: 'https://example.com/', ...body },
  })
  return (await answer.json()) as { id: string; slug: string; short_url: string }
}
const using = async <T>(connecting: Promise<Mcp>, work: (mcp: Mcp) => Promise<T>) => {
  const mcp = await connecting
  return await work(mcp).finally(mcp.close)
}

/** Sends a message without a client of the protocol. */
const post = (body: unknown, headers: Record<string, string> = {}, path = '/mcp') =>
  slugline.call('POST', path, {
    key,
    body,
    headers: { accept: 'application/json, text/event-stream', ...headers },
  })
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
const codeOf = async (answer: Response) =>
  ((await answer.json()) as { error: { code: string } }).error.code

for (const revision of REVISIONS) {
  describe(`a client of revision ${revision}`, () => {
    test('lists and calls tools over HTTP, and checks their results by their schemas', () =>
      using(connectHttp(slugline.url, key, revision), async (mcp) => {
        expect(mcp.client.getServerVersion()).toMatchObject({ name: 'slugline' })
        expect(mcp.client.getInstructions()).toBeString()
        expect(mcp.tools.map(({ name }) => name)).toEqual(NAMES)
        const destination_url = `https://example.com/${revision}`
        const made = await mcp.call('create_link', { destination_url })
        expect(made.isError).toBe(false)
        const { data } = await mcp.call('find_links', { destination_url })
        expect(data).toMatchObject({ total: 1, links: [{ id: made.data.link.id, clicks: 0 }] })
        expect(made.text).toInclude(made.data.link.id)
      }))

    test('does the same with slugline mcp', async () => {
      const env = { ...BASE_ENV, SLUGLINE_URL: slugline.url, SLUGLINE_API_KEY: key }
      await using(connectStdio(env, revision), async (mcp) => {
        expect(mcp.tools.map(({ name }) => name)).toEqual(NAMES)
        const { slug, id } = await link()
        const found = await mcp.call('get_link', { link: slug })
        expect(found.data.link.id).toBe(id)
        const picture = await mcp.call('get_qr_code', { link: id })
        expect(picture.content[0]).toMatchObject({ type: 'image', mimeType: 'image/png' })
        const change = { ids: [id], add_tags: ['stdio'] }
        expect((await mcp.call('bulk_change_links', change)).data.matching).toBe(1)
        const done = await mcp.call('bulk_change_links', { ...change, expected_count: 1 })
        expect(done.data.job).toMatchObject({ status: 'succeeded' })
        const refused = await mcp.call('create_link', { destination_url: 'https://a.b/', slug })
        expect([refused.isError, refused.text.split(':')[0]]).toEqual([true, 'SLUG_TAKEN'])
        const wrong = await mcp.call('update_link', { link: id, destination_url: 'nonsense' })
        expect(wrong.text).toMatch(/^VALIDATION_FAILED: .*\n- destination_url: /)
      })
    })
  })
}

describe('slugline mcp', () => {
  test('ends with an error if the key is wrong, before it serves', async () => {
    const env = { ...BASE_ENV, SLUGLINE_URL: slugline.url, SLUGLINE_API_KEY: 'sk_nothing' }
    const { status, stdout, stderr } = await runCommand(['mcp', '--json'], env)
    expect([status, stdout]).toEqual([1, ''])
    expect(JSON.parse(stderr).error.code).toBe('INVALID_API_KEY')
  })

  test('offers only what the key may use', async () => {
    const own = await keyFor('stats:read')
    const env = { ...BASE_ENV, SLUGLINE_URL: slugline.url, SLUGLINE_API_KEY: own }
    await using(connectStdio(env), async (mcp) =>
      expect(mcp.tools.map(({ name }) => name)).toEqual(['get_statistics']),
    )
  })
})

describe('the tools', () => {
  test('of a key that may do everything are these', () =>
    using(connectHttp(slugline.url, key), async ({ tools }) => expect(tools).toMatchSnapshot()))

  test('have all four hints, an output schema and descriptions', () =>
    using(connectHttp(slugline.url, key), async ({ tools }) => {
      for (const { annotations = {}, outputSchema, description, inputSchema } of tools) {
        const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations
        const hints = [readOnlyHint, destructiveHint, idempotentHint, openWorldHint]
        expect(hints.map((hint) => typeof hint)).toEqual(hints.map(() => 'boolean'))
        expect(outputSchema).toMatchObject({ type: 'object' })
        expect(description).toBeString()
        // Flat: no argument is an object.
        for (const field of Object.values(inputSchema.properties ?? {})) {
          expect(field).not.toMatchObject({ type: 'object' })
          expect(field).toHaveProperty('description')
        }
      }
    }))

  for (const scopes of KINDS) {
    const mine = held(scopes)
    const permitted = NAMES.filter((name) => TOOLS[name]?.scopes.every((one) => mine.includes(one)))

    test(`of a key with ${scopes}: listed, and the others refused`, async () => {
      const { id } = await link()
      await using(connectHttp(slugline.url, await keyFor(scopes)), async (mcp) => {
        expect(mcp.tools.map(({ name }) => name)).toEqual(permitted)
        for (const name of NAMES) {
          const args = { ...TOOLS[name]?.args }
          if (args.link !== undefined) args.link = id
          const { isError, text } = await mcp.call(name, args)
          // Deleted before it is restored, and so on: only permission counts here.
          const isRefused = isError && text.startsWith('INSUFFICIENT_SCOPE')
          expect([name, isRefused]).toEqual([name, !permitted.includes(name)])
        }
      })
      const { status } = await slugline.call('GET', `/api/v1/links/${id}`, { key })
      expect(status).toBe(
        permitted.includes('restore_link') || !permitted.includes('delete_link') ? 200 : 404,
      )
    })
  }

  test('that only read refuse to write for a key that only reads', async () => {
    await using(connectHttp(slugline.url, await keyFor('links:read')), async (mcp) => {
      const change = { action: 'create', kind: 'tag', name: 'forbidden' }
      expect((await mcp.call('tags_and_folders', change)).text).toStartWith('INSUFFICIENT_SCOPE')
      expect((await mcp.call('tags_and_folders', { name: 'forbidden' })).data.tags).toEqual([])
    })
  })

  test('see nothing of another workspace', async () => {
    const { id, slug, short_url } = await link()
    const other = await keyFor('links:read,links:write', { workspace: 'other' })
    await using(connectHttp(slugline.url, other), async (mcp) => {
      for (const name of [id, slug, short_url]) {
        for (const tool of ['get_link', 'delete_link', 'restore_link', 'get_qr_code']) {
          expect((await mcp.call(tool, { link: name })).text).toStartWith('LINK_NOT_FOUND')
        }
      }
      expect((await mcp.call('find_links')).data.total).toBe(0)
      expect((await mcp.call('get_history')).data.changes).toEqual([])
    })
  })

  test('tell what is wrong with their arguments', () =>
    using(connectHttp(slugline.url, key), async (mcp) => {
      const cases: [string, Record<string, unknown>, RegExp][] = [
        ['get_link', {}, /^VALIDATION_FAILED: .*\n- link: /],
        ['get_link', { link: 7 }, /^VALIDATION_FAILED: .*\n- link: /],
        ['get_link', { link: 'lnk_0', more: 1 }, /^VALIDATION_FAILED: .*\n.*more/],
        ['get_link', { link: 'no such thing' }, /^LINK_NOT_FOUND/],
        ['get_link', { link: 'x'.repeat(9_000) }, /^VALIDATION_FAILED/],
        ['get_link', { link: '../keys' }, /^LINK_NOT_FOUND/],
        ['get_link', { link: 'external:..' }, /^LINK_NOT_FOUND/],
        ['delete_link', { link: 'external:..' }, /^LINK_NOT_FOUND/],
        ['update_link', { link: 'external:../keys', title: 'a' }, /^LINK_NOT_FOUND/],
        ['get_link', { link: '/' }, /^LINK_NOT_FOUND|^VALIDATION_FAILED/],
        ['find_links', { limit: 1_000 }, /^VALIDATION_FAILED: .*\n- limit: /],
        ['find_links', { created_after: 'yesterday' }, /^VALIDATION_FAILED: .*\n- created_after: /],
        ['find_links', { folder: 'nowhere' }, /^FOLDER_NOT_FOUND/],
        ['find_links', { cursor: 'nonsense' }, /^BAD_REQUEST/],
        ['update_link', { link: 'LINK' }, /^VALIDATION_FAILED/],
        ['bulk_change_links', { add_tags: ['a'] }, /^VALIDATION_FAILED/],
        ['bulk_change_links', { search: 'a' }, /^VALIDATION_FAILED/],
        // An empty filter would match every link.
        ['bulk_change_links', { ids: [], delete: true, expected_count: 1 }, /^VALIDATION_FAILED/],
        ['bulk_change_links', { tags: [], delete: true }, /^VALIDATION_FAILED/],
        ['bulk_change_links', { search: '', delete: true }, /^VALIDATION_FAILED/],
        ['bulk_change_links', { archived: false, delete: true }, /^VALIDATION_FAILED/],
        ['get_statistics', { from: '2026-02-30' }, /^VALIDATION_FAILED: .*\n- from: /],
        ['get_statistics', { link: 'a', tag: 'b' }, /^CONFLICTING_PARAMETERS/],
        ['get_history', { since: 'an hour ago' }, /^VALIDATION_FAILED/],
        [
          'explain_visit',
          { link: 'LINK', country: 'Germany' },
          /^VALIDATION_FAILED: .*\n- visitor.country: /,
        ],
        ['get_qr_code', { link: 'LINK', dark: '#fff' }, /^VALIDATION_FAILED|^QR_UNREADABLE/],
        ['tags_and_folders', { action: 'rename', kind: 'tag', name: 'a' }, /^VALIDATION_FAILED/],
        ['get_job_status', { id: '../links' }, /^JOB_NOT_FOUND/],
        ['list_events', { types: ['link.vanished'] }, /^VALIDATION_FAILED: .*\n- types: /],
        ['list_events', { after: 'evt_nothing' }, /^BAD_REQUEST/],
        ['drop_tables', {}, /^TOOL_NOT_FOUND/],
      ]
      const { id } = await link()
      for (const [name, args, expected] of cases) {
        const given = args.link === 'LINK' ? { ...args, link: id } : args
        const { isError, text } = await mcp.call(name, given)
        expect([name, isError, text]).toEqual([name, true, expect.stringMatching(expected)])
      }
    }))

  test('answer errors in the language of the client', async () => {
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call' }
    const params = { name: 'get_link', arguments: { link: 'lnk_00000000000000000000000000' } }
    const [english, german] = await Promise.all(
      ['en', 'de'].map(async (language) =>
        (await post({ ...call, params }, { 'accept-language': language })).text(),
      ),
    )
    expect(english).toInclude('LINK_NOT_FOUND')
    expect(german).toInclude('LINK_NOT_FOUND')
    expect(german).not.toBe(english)
  })

  test('create one link for one idempotency key, given as an argument or a header', () =>
    using(connectHttp(slugline.url, key), async (mcp) => {
      const args = { destination_url: 'https://example.com/idempotent', idempotency_key: 'once-1' }
      const [one, two] = [await mcp.call('create_link', args), await mcp.call('create_link', args)]
      expect(two.data.link.id).toBe(one.data.link.id)
      const { idempotency_key: _, ...rest } = args
      const call = { name: 'create_link', arguments: rest }
      const send = () =>
        post({ ...LIST, method: 'tools/call', params: call }, { 'idempotency-key': 'once-2' })
      const texts = [await (await send()).text(), await (await send()).text()]
      expect(texts[1]).toBe(texts[0] as string)
    }))

  test('are recorded in the history as changes by the key', () =>
    using(connectHttp(slugline.url, key), async (mcp) => {
      const { id } = await link()
      await mcp.call('update_link', { link: id, title: 'By a tool' })
      const { changes } = (await mcp.call('get_history', { link: id, only_mine: true })).data
      expect(changes[0]).toMatchObject({ action: 'link.updated', actor: { type: 'api_key' } })
    }))
})

describe('the endpoint', () => {
  test('names the metadata to clients without a key, or with a wrong one', async () => {
    for (const authorization of [undefined, 'Bearer sk_wrong', 'Basic abc']) {
      const answer = await slugline.call('POST', '/mcp', {
        body: LIST,
        headers: authorization === undefined ? {} : { authorization },
      })
      expect(answer.status).toBe(401)
      const challenge = answer.headers.get('www-authenticate') as string
      const [, url = ''] = /^Bearer .*resource_metadata="([^"]+)"/.exec(challenge) ?? []
      const metadata = await fetch(url)
      expect(metadata.headers.get('content-type')).toBe('application/json')
      expect(await metadata.json()).toMatchObject({
        resource: `${slugline.url}/mcp`,
        bearer_methods_supported: ['header'],
        scopes_supported: [...SCOPES],
      })
    }
    const plain = await slugline.call('GET', '/.well-known/oauth-protected-resource')
    expect(plain.status).toBe(200)
    const api = await slugline.call('GET', '/api/v1/links')
    expect(api.headers.get('www-authenticate')).toBe('Bearer realm="slugline"')
  })

  test('has no sessions: GET and DELETE are not allowed', async () => {
    for (const method of ['GET', 'DELETE']) {
      const answer = await slugline.call(method, '/mcp', { key })
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
    }
  })

  test('refuses pages of other sites, and other hosts', async () => {
    for (const origin of ['https://evil.example', 'null', `${slugline.url}.evil.example`]) {
      const answer = await post(LIST, { origin })
      expect([answer.status, await codeOf(answer)]).toEqual([403, 'CROSS_SITE_REQUEST'])
    }
    expect((await post(LIST, { origin: slugline.url })).status).toBe(200)
    const { port } = new URL(slugline.url)
    expect(await statusWithHost('evil.example')).toBe(403)
    expect(await statusWithHost(`evil.example:${port}`)).toBe(403)
    expect(await statusWithHost(`localhost:${port}`)).toBe(200)
  })

  test('leaves its path to links on a short domain', async () => {
    expect(await statusWithHost('go.example')).toBe(404)
    await link({ domain: 'go.example', slug: 'mcp' })
    const answer = await slugline.call('GET', '/mcp', { headers: { host: 'go.example' } })
    expect(answer.status).toBe(302)
  })

  test('bounds bodies before it reads them', async () => {
    const long = JSON.stringify({ ...LIST, params: { text: 'x'.repeat(70_000) } })
    expect(await codeOf(await post(long, { 'content-type': 'application/json' }))).toBe(
      'PAYLOAD_TOO_LARGE',
    )
    const deep = `{"a":${'['.repeat(100)}${']'.repeat(100)}}`
    expect(await codeOf(await post(deep, { 'content-type': 'application/json' }))).toBe(
      'INVALID_JSON',
    )
    // Batches, which only one old revision had, could hold any number of calls.
    expect(await codeOf(await post([LIST, LIST]))).toBe('INVALID_JSON')
    expect(await codeOf(await post('{}', { 'content-type': 'text/plain' }))).toBe(
      'UNSUPPORTED_MEDIA_TYPE',
    )
  })

  test('answers messages that are none with an error of the protocol', async () => {
    for (const body of [{}, { jsonrpc: '1.0', id: 1, method: 'tools/list' }, { method: 7 }]) {
      const answer = await post(body)
      expect(answer.status).toBe(400)
      expect(await answer.json()).toHaveProperty('error.code')
    }
    const unknown = await (await post({ ...LIST, method: 'resources/list' })).text()
    expect(unknown).toInclude('-32601')
  })

  test('opens no streams for subscriptions', async () => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const method = 'subscriptions/listen'
    const params = { notifications: { toolsListChanged: true }, _meta: meta }
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method }
    const answer = await post({ ...LIST, method, params }, headers)
    expect(await answer.json()).toMatchObject({ error: { code: expect.any(Number) } })
  })

  test('counts the requests of a tool towards the limit instead of its message', async () => {
    const plans = writePlans({ limited: { requests_per_minute: 1, burst: 6 } })
    const own = await startSlugline({ SLUGLINE_PLANS: plans })
    try {
      const { key } = await own.createKey({ plan: 'limited' })
      const send = (method: string, params: object = {}) =>
        own.call('POST', '/mcp', {
          key,
          body: { ...LIST, method, params },
          headers: { accept: 'application/json, text/event-stream' },
        })
      const call = async (name: string, args: object) =>
        (await send('tools/call', { name, arguments: args })).text()
      expect((await send('tools/list')).status).toBe(200)
      for (let n = 0; n < 3; n++) expect(await call('find_links', {})).not.toInclude('isError')
      // One request: there is no such folder.
      expect(await call('find_links', { folder: 'a' })).toInclude('FOLDER_NOT_FOUND')
      // The key, the links and the deleted ones.
      expect(await call('get_history', { only_mine: true })).toInclude('RATE_LIMITED')
      const refused = await send('tools/list')
      expect([refused.status, await codeOf(refused)]).toEqual([429, 'RATE_LIMITED'])
      expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
    } finally {
      await own.dispose()
    }
  })

  test('is in the log like other requests', () => {
    expect(slugline.output()).toInclude('"route":"/mcp"')
  })
})

/** The status of a list with another `Host`, which fetch doesn't send. */
function statusWithHost(host: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const headers = {
    ...{ host, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    accept: 'application/json, text/event-stream',
  }
  const sent = httpRequest(`${slugline.url}/mcp`, { method: 'POST', headers }, (answer) => {
    answer.resume()
    resolve(answer.statusCode as number)
  })
  sent.on('error', reject)
  sent.end(JSON.stringify(LIST))
  return promise
}
