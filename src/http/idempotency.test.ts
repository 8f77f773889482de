import { afterAll, describe, expect, test } from 'bun:test'
import { createIdempotency, idempotencyKeyOf, purgeIdempotency } from './idempotency.ts'
import { createTestApi, type SendInit } from './testing/api.ts'

const t = await createTestApi()
// Another process on the same database, unaware of the first one's requests in flight.
const other = await createTestApi({ storage: { ...t.storage, close: async () => {} } })
afterAll(async () => {
  await other.close()
  await t.close()
})

let next = 100
const fresh = () => ({ key: `key-${++next}`, no: next, host: `h${next}.example` })

function create(
  { key, no, host }: { key: string; no: number; host: string },
  api = t,
  headers: Record<string, string> = {},
) {
  const init: SendInit = { body: { no, host }, headers: { 'Idempotency-Key': key, ...headers } }
  return api.send('POST', '/api/v1/hosts', init)
}

async function codeOf(response: Response): Promise<string | undefined> {
  return ((await response.json()) as { error?: { code: string } }).error?.code
}

/** Everything that a replay must repeat. */
async function contentOf(response: Response) {
  const { status, headers } = response
  const names = ['Content-Type', 'ETag', 'Location', 'Content-Language']
  return { status, text: await response.text(), headers: names.map((name) => headers.get(name)) }
}

async function countOf(host: string): Promise<number> {
  const rows = await t.storage.read.db
    .selectFrom('domains')
    .select('no')
    .where('host', '=', host)
    .execute()
  return rows.length
}

describe('a request with an Idempotency-Key', () => {
  test('is replayed byte for byte, without another effect', async () => {
    const request = fresh()
    const first = await create(request)
    expect(first.status).toBe(201)
    expect(first.headers.get('Idempotent-Replayed')).toBeNull()
    const content = await contentOf(first)
    for (const api of [t, t, other]) {
      const replay = await create(request, api)
      expect(replay.headers.get('Idempotent-Replayed')).toBe('true')
      expect(replay.headers.get('X-Request-Id')).not.toBe(first.headers.get('X-Request-Id'))
      expect(await contentOf(replay)).toEqual(content)
    }
  })

  test('is one key, bare or quoted', async () => {
    const request = fresh()
    await create(request)
    const quoted = await create({ ...request, key: `"${request.key}"` })
    expect(quoted.headers.get('Idempotent-Replayed')).toBe('true')
  })

  test('can’t use the key of another request', async () => {
    const request = fresh()
    await create(request)
    const changed = await create({ ...request, no: ++next })
    expect(changed.status).toBe(422)
    expect(await codeOf(changed)).toBe('IDEMPOTENCY_KEY_REUSED')
    const headers = { 'Idempotency-Key': request.key }
    const deleted = await t.send('DELETE', '/api/v1/hosts/a', { headers })
    expect(await codeOf(deleted)).toBe('IDEMPOTENCY_KEY_REUSED')
  })

  test('shares its key with no other workspace', async () => {
    const request = fresh()
    await create(request)
    const stranger = await create({ ...request, no: ++next, host: `h${next}` }, t, {
      Authorization: 'Bearer stranger',
    })
    expect(stranger.status).toBe(201)
  })

  test('is refused while the first one is in progress', async () => {
    const request = fresh()
    const answers = await Promise.all([1, 2, 3].map(() => create(request)))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([201, 409, 409])
    expect(await codeOf(answers[2] as Response)).toBe('IDEMPOTENCY_IN_PROGRESS')
    expect((await create(request)).headers.get('Idempotent-Replayed')).toBe('true')
  })

  test('has its effect once, across processes', async () => {
    for (let round = 0; round < 20; round++) {
      const request = fresh()
      const answers = await Promise.all([t, other, t, other].map((api) => create(request, api)))
      const made = answers.filter(({ status }) => status === 201)
      expect(made.length).toBe(2)
      const [one, two] = await Promise.all(made.map(contentOf))
      expect(one).toEqual(two as NonNullable<typeof two>)
      expect(await countOf(request.host)).toBe(1)
    }
  })

  test('that failed can be retried: errors aren’t stored', async () => {
    const taken = fresh()
    await create({ ...taken, key: 'another' })
    const conflicting = { ...taken, no: next + 1000 }
    expect((await create(conflicting)).status).toBe(409)
    await t.send('DELETE', `/api/v1/hosts/${taken.host}`)
    expect((await create(conflicting)).status).toBe(201)

    const deletion = { headers: { 'Idempotency-Key': 'delete-it' } }
    expect((await t.send('DELETE', '/api/v1/hosts/later.example', deletion)).status).toBe(404)
    await create({ ...fresh(), host: 'later.example' })
    expect((await t.send('DELETE', '/api/v1/hosts/later.example', deletion)).status).toBe(204)

    const patch = (version: string) =>
      t.send('PATCH', '/api/v1/hosts/a', {
        body: {},
        headers: { 'Idempotency-Key': '"patch it"', 'If-Match': version },
      })
    expect((await patch('"9"')).status).toBe(412)
    const again = await patch('"9"')
    expect(again.headers.get('Idempotent-Replayed')).toBeNull()
    expect((await patch('"3"')).status).toBe(200)
  })

  test('is the same request in any formatting of its JSON', async () => {
    const { key, no, host } = fresh()
    const headers = { 'Idempotency-Key': key }
    expect((await create({ key, no, host })).status).toBe(201)
    for (const [body, type] of [
      [`{ "host" : ${JSON.stringify(host)},\n "no": ${no}.0 }`, 'application/json'],
      [
        JSON.stringify({ no, host }).replace('h', String.raw`\u0068`),
        'application/json; charset=utf-8',
      ],
    ] as const) {
      const send = { body, headers: { ...headers, 'Content-Type': type } }
      const replay = await t.send('POST', '/api/v1/hosts', send)
      expect(replay.headers.get('Idempotent-Replayed')).toBe('true')
    }
  })

  test('is another request with another query or If-Match', async () => {
    const headers = { 'Idempotency-Key': 'patch-a', 'If-Match': '"3"' }
    const patch = async (path: string, more = {}) =>
      codeOf(await t.send('PATCH', path, { body: {}, headers: { ...headers, ...more } }))
    expect(await patch('/api/v1/hosts/a')).toBeUndefined()
    expect(await patch('/api/v1/hosts/a', { 'If-Match': '"3", "4"' })).toBe(
      'IDEMPOTENCY_KEY_REUSED',
    )
    expect(await patch('/api/v1/hosts/a?lang=de')).toBe('IDEMPOTENCY_KEY_REUSED')
    expect(await patch('/api/v1/hosts/a')).toBeUndefined()
  })

  test('that failed for another reason may be corrected under the same key', async () => {
    const request = fresh()
    const headers = { Authorization: 'Bearer reader' }
    expect((await create(request, t, headers)).status).toBe(403)
    expect((await create(request, t, { Authorization: 'Bearer unknown' })).status).toBe(401)
    expect((await create({ ...request, host: 'x'.repeat(51) })).status).toBe(422)
    expect((await create({ ...request, host: 'full.example' })).status).toBe(403)
    expect((await create(request, t, { 'Content-Type': 'text/plain' })).status).toBe(415)
    expect((await create(request)).status).toBe(201)
  })

  test('of DELETE is answered 204 again', async () => {
    const request = fresh()
    await create(request)
    const headers = { 'Idempotency-Key': `delete-${request.key}` }
    for (let i = 0; i < 2; i++) {
      const response = await t.send('DELETE', `/api/v1/hosts/${request.host}`, { headers })
      expect(response.status).toBe(204)
      expect(await response.text()).toBe('')
    }
    expect((await t.send('DELETE', `/api/v1/hosts/${request.host}`)).status).toBe(404)
  })

  test('is a new one after a day', async () => {
    const request = fresh()
    await create(request)
    const later = { ...request, no: ++next, host: `h${next}.example` }
    t.clock.ms += 24 * 3_600_000 - 1
    expect((await create(later)).status).toBe(422)
    t.clock.ms += 1
    expect((await create(later)).status).toBe(201)
    expect((await create(later)).headers.get('Idempotent-Replayed')).toBe('true')
  })
})

describe('keys', () => {
  test('are 1 to 255 visible characters, or a quoted string', () => {
    for (const [header, key] of [
      ['a', 'a'],
      ['x'.repeat(255), 'x'.repeat(255)],
      ['8e03978e-40d5-43dd-bc93-6894a57f9324', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
      ['"with space"', 'with space'],
      [String.raw`"a\"b\\c"`, String.raw`a"b\c`],
    ] as const) {
      expect(idempotencyKeyOf(header)).toBe(key)
    }
  })

  test('are refused otherwise', async () => {
    for (const header of ['', ' ', '""', '"', '"a', 'a b', 'a, b', 'ä', 'x'.repeat(256)]) {
      expect(() => idempotencyKeyOf(header)).toThrow()
    }
    const response = await create({ ...fresh(), key: 'a b' })
    expect(response.status).toBe(400)
    const { error } = (await response.json()) as { error: Record<string, unknown> }
    expect(error.code).toBe('BAD_REQUEST')
    expect(error.details).toMatchObject([{ field: 'Idempotency-Key', code: 'INVALID_HEADER' }])
  })
})

describe('large responses', () => {
  const storedMax = 20_000
  const idempotency = createIdempotency(t.storage, t.clock, storedMax)
  let effects = 0
  /** Sends a request, as a process does, and returns the length of its response or the error's code. */
  async function send(key: string, length: number, workspaceNo = 2) {
    const request = { workspaceNo, key, fingerprint: `${key} ${length}` }
    try {
      const replay = await idempotency.begin(request)
      if (replay !== undefined) return replay.text?.length
      const answer = await idempotency.run(request, async () => {
        effects++
        return { status: 201, text: 'x'.repeat(length), headers: {} }
      })
      return answer.text?.length
    } catch (error) {
      return (error as { code: string }).code
    } finally {
      idempotency.end(request)
    }
  }
  const sizeOf = async () => {
    const rows = t.storage.read.db.selectFrom('idempotency').select('body')
    const all = await rows.where('workspace_no', '=', 2).execute()
    return all.reduce((sum, { body }) => sum + body.length, 0)
  }

  test('of a workspace are stored up to a limit; others still take effect once', async () => {
    for (const key of ['a', 'b', 'c', 'd']) expect(await send(key, 9_000)).toBe(9_000)
    expect(await sizeOf()).toBeLessThanOrEqual(storedMax)
    expect(effects).toBe(4)
    for (const key of ['a', 'b']) expect(await send(key, 9_000)).toBe(9_000)
    for (const key of ['c', 'd']) {
      expect(await send(key, 9_000)).toBe('IDEMPOTENCY_RESPONSE_OMITTED')
      expect(await send(key, 1)).toBe('IDEMPOTENCY_KEY_REUSED')
    }
    expect(effects).toBe(4)
    // Small ones, and those of other workspaces, are stored.
    for (const again of [1, 2]) {
      expect([again, await send('e', 1_000), await send('f', 9_000, 3)]).toEqual([
        again,
        1_000,
        9_000,
      ])
    }
    expect(effects).toBe(6)
    t.clock.ms += 24 * 3_600_000
    for (const again of [1, 2]) expect([again, await send('c', 9_000)]).toEqual([again, 9_000])
    expect(effects).toBe(7)
  })
})

test('old records are purged, in steps', async () => {
  const old = Array.from({ length: 1201 }, (_, n) => ({
    workspace_no: 9,
    key: `old ${n}`,
    request_hash: '',
    status: 201,
    headers: '{}',
    body: '',
    created_at: t.clock.ms - 24 * 3_600_000 - (n % 7),
  }))
  await t.storage.write(async (tx) => {
    await tx.db.insertInto('idempotency').values(old).execute()
  })
  await create(fresh())
  expect(await purgeIdempotency(t.storage, t.clock.ms)).toBeGreaterThanOrEqual(1201)
  const rest = await t.storage.read.db.selectFrom('idempotency').select('created_at').execute()
  expect(rest.length).toBeGreaterThan(0)
  for (const { created_at } of rest) expect(created_at).toBeGreaterThan(t.clock.ms - 24 * 3_600_000)
})
