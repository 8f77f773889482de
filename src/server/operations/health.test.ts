import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLogger } from '../../lib/base/logger.ts'
import { type Storage, StorageUnavailable } from '../../platform/storage/index.ts'
import { countFailedWrites, diskCheck, freeBytesOf, secretCheck, storageCheck } from './checks.ts'
import { type CheckResult, createHealth, type HealthCheck } from './health.ts'

const clock = { ms: 0, now: () => clock.ms }
const check = (name: string, answer: () => CheckResult | Promise<CheckResult>): HealthCheck => ({
  name,
  check: answer,
})
const fine = check('fine', () => ({ status: 'ok' }))

function health(checks: HealthCheck[], timeoutMs = 2_000) {
  return createHealth({ checks, clock, logger: silentLogger, timeoutMs })
}

async function get(of: ReturnType<typeof createHealth>, path: string, method = 'GET') {
  return await of.answer(new Request(`http://localhost${path}`, { method }), path)
}

describe('/livez', () => {
  test('responds whatever the checks report', async () => {
    const answer = await get(health([check('x', () => ({ status: 'failed' }))]), '/livez')
    expect(answer?.status).toBe(200)
  })
})

describe('both', () => {
  test('have a request id and `nosniff`', async () => {
    const ids = new Set<string | null>()
    for (const path of ['/livez', '/readyz']) {
      const { headers } = (await get(health([fine]), path)) as Response
      ids.add(headers.get('x-request-id'))
      expect(headers.get('x-request-id')).toMatch(/^req_[0-9a-z]{26}$/)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
    }
    expect(ids.size).toBe(2)
  })

  test('refuse other methods as the API does', async () => {
    const request = new Request('http://localhost/livez?lang=de', { method: 'POST' })
    const answer = (await health([fine]).answer(request, '/livez')) as Response
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
    expect(answer.headers.get('content-language')).toBe('de')
    const { error } = (await answer.json()) as { error: Record<string, string> }
    expect(error.code).toBe('METHOD_NOT_ALLOWED')
    expect(error.request_id).toBe(answer.headers.get('x-request-id') ?? '')
    const options = await get(health([fine]), '/readyz', 'OPTIONS')
    expect([options?.status, options?.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS'])
  })
})

describe('/readyz', () => {
  test('lists the checks', async () => {
    const answer = await get(health([fine]), '/readyz')
    expect(answer?.status).toBe(200)
    expect(answer?.headers.get('cache-control')).toBe('no-store')
    expect(await answer?.json()).toEqual({ status: 'ok', checks: [{ name: 'fine', status: 'ok' }] })
  })

  test('is 503 when one failed, and 200 when one is only degraded', async () => {
    const degraded = check('worker', () => ({ status: 'degraded', reason: 'behind' }))
    expect((await get(health([fine, degraded]), '/readyz'))?.status).toBe(200)
    const failed = check('storage', () => ({ status: 'failed', reason: 'not_writable' }))
    const answer = await get(health([fine, degraded, failed]), '/readyz')
    expect(answer?.status).toBe(503)
    expect(await answer?.json()).toMatchObject({ status: 'failed', checks: [{}, {}, {}] })
  })

  test('reveals no exception, and does not wait for hanging checks', async () => {
    const throws = check('a', () => {
      throw new Error('/var/lib/secret path')
    })
    const hangs = check('b', () => new Promise<CheckResult>(() => {}))
    const answer = await get(health([throws, hangs], 5), '/readyz')
    expect(answer?.status).toBe(503)
    const text = await answer?.text()
    expect(text).not.toContain('secret path')
    expect(JSON.parse(text ?? '').checks.map((c: CheckResult) => c.reason)).toEqual([
      'error',
      'timeout',
    ])
  })

  test('runs the checks at most twice a second', async () => {
    let asked = 0
    const counting = health([
      check('count', () => {
        asked++
        return { status: 'ok' }
      }),
    ])
    for (let i = 0; i < 10; i++) await get(counting, '/readyz')
    expect(asked).toBe(1)
    clock.ms += 500
    await get(counting, '/readyz')
    expect(asked).toBe(2)
    clock.ms -= 10_000
    await get(counting, '/readyz')
    expect(asked).toBe(3)
  })

  test('is 503 while the server stops', async () => {
    const stopping = health([fine])
    stopping.stopping()
    expect((await get(stopping, '/readyz'))?.status).toBe(503)
  })

  test('only serves its own paths and GET, HEAD, OPTIONS', async () => {
    const some = health([fine])
    expect(await get(some, '/readyz/')).toBeNull()
    expect(await get(some, '/')).toBeNull()
    expect((await get(some, '/readyz', 'HEAD'))?.status).toBe(200)
    expect((await get(some, '/readyz', 'OPTIONS'))?.status).toBe(204)
    const refused = await get(some, '/livez', 'POST')
    expect(refused?.status).toBe(405)
    expect(refused?.headers.get('allow')).toContain('GET')
  })
})

describe('the checks', () => {
  let dir: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'slugline-health-'))
  })
  afterEach(() => rmSync(dir, { recursive: true, force: true }))

  test('of the storage: fails when a write would', async () => {
    expect(await storageCheck({ probe: async () => {} }).check()).toEqual({ status: 'ok' })
    const full = storageCheck({
      probe: async () => {
        throw new Error('SQLITE_FULL')
      },
    })
    expect(await full.check()).toEqual({ status: 'failed', reason: 'not_writable' })
  })

  test('of the disk: warns early', () => {
    expect(freeBytesOf(dir)).toBeGreaterThan(0)
    const status = (free: number) => diskCheck(dir, () => free).check()
    expect(status(1e12)).toEqual({ status: 'ok' })
    expect(status(100e6)).toEqual({ status: 'degraded', reason: 'low' })
    expect(status(1000)).toEqual({ status: 'failed', reason: 'full' })
    const gone = diskCheck(join(dir, 'gone'), () => 1e12).check()
    expect(gone).toEqual({ status: 'failed', reason: 'missing' })
  })

  test('of the secret: reports when the next start would miss it', () => {
    const file = join(dir, 'secret')
    expect(secretCheck(null).check()).toEqual({ status: 'ok' })
    expect(secretCheck(file).check()).toEqual({ status: 'degraded', reason: 'missing' })
    writeFileSync(file, 'x')
    expect(secretCheck(file).check()).toEqual({ status: 'ok' })
  })
})

test('writes that fail in a row make the storage fail, until one succeeds', async () => {
  let isDamaged = true
  const { storage, failures } = countFailedWrites({
    async write() {
      if (isDamaged) throw new StorageUnavailable('SQLITE_CORRUPT')
    },
    // A probe doesn't touch the damaged pages.
    async probe() {},
  } as unknown as Storage)
  const { check } = storageCheck(storage, failures)
  const write = () => storage.write(async () => {}).catch(() => {})
  expect(await check()).toEqual({ status: 'ok' })
  for (let i = 0; i < 3; i++) await write()
  expect(await check()).toEqual({ status: 'failed', reason: 'writes_fail' })
  isDamaged = false
  await write()
  expect(await check()).toEqual({ status: 'ok' })
})
