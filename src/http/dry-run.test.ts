import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createTestApi, type TestApi } from './testing/api.ts'

let site: TestApi
beforeAll(async () => {
  site = await createTestApi()
})
afterAll(() => site.close())

const hosts = async () =>
  (await site.storage.read.db.selectFrom('domains').select('host').execute()).map(
    ({ host }) => host,
  )
const keys = async () => site.storage.read.db.selectFrom('idempotency').select('key').execute()
const create = (host: string, query: string, headers: Record<string, string> = {}) =>
  site.send('POST', `/api/v1/hosts${query}`, { body: { no: 1, host }, headers })

test('a dry run returns the same response, and writes nothing', async () => {
  const dry = await create('a.example', '?dry_run=true')
  expect([dry.status, dry.headers.get('dry-run')]).toEqual([201, 'true'])
  expect(await hosts()).toEqual([])
  const real = await create('a.example', '?dry_run=false')
  expect([real.status, real.headers.get('dry-run')]).toEqual([201, null])
  for (const name of ['location', 'etag', 'content-type']) {
    expect(dry.headers.get(name)).toBe(real.headers.get(name))
  }
  expect(await dry.text()).toBe(await real.text())
  expect(await hosts()).toEqual(['a.example'])
  const refused = await create('a.example', '?dry_run=true')
  expect([refused.status, refused.headers.get('dry-run')]).toEqual([409, 'true'])
})

test('a dry run neither uses nor replays an idempotency key', async () => {
  const key = { 'Idempotency-Key': 'once' }
  await site.storage.write((tx) => tx.db.deleteFrom('domains').execute())
  expect((await create('b.example', '?dry_run=true', key)).status).toBe(201)
  expect(await keys()).toEqual([])
  expect((await create('b.example', '', key)).status).toBe(201)
  expect(await keys()).toHaveLength(1)
  const again = await create('b.example', '?dry_run=true', key)
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([409, null])
})

test('a dry run checks its idempotency key', async () => {
  await site.storage.write((tx) => tx.db.deleteFrom('domains').execute())
  const headers = { 'Idempotency-Key': 'checked' }
  expect((await create('d.example', '', headers)).status).toBe(201)
  const codeOf = async (host: string, key: string) => {
    const answer = await create(host, '?dry_run=true', { 'Idempotency-Key': key })
    return ((await answer.json()) as { error?: { code: string } }).error?.code
  }
  expect(await codeOf('other.example', 'checked')).toBe('IDEMPOTENCY_KEY_REUSED')
  for (const key of ['x'.repeat(256), '', 'a b', '"x', 'ü']) {
    expect(await codeOf('e.example', key)).toBe('BAD_REQUEST')
  }
  expect(await codeOf('e.example', 'unused')).toBe('SLUG_TAKEN')
  expect(await hosts()).toEqual(['d.example'])
})

test('invalid values, and endpoints without dry run, are refused', async () => {
  for (const value of ['1', 'yes', '', 'TRUE', 'true&dry_run=true']) {
    const answer = await create('c.example', `?dry_run=${value}`)
    expect(answer.status).toBe(422)
    expect(await answer.json()).toMatchObject({ error: { details: [{ field: 'dry_run' }] } })
  }
  const patch = { body: { host: 'c.example' } }
  const answer = await site.send('PATCH', '/api/v1/hosts/b?dry_run=true', patch)
  expect(await answer.json()).toMatchObject({
    error: { details: [{ field: 'dry_run', code: 'UNKNOWN_PARAMETER' }] },
  })
  expect(await hosts()).not.toContain('c.example')
})
