import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { checkRedis } from '../../src/cli/doctor/shared.ts'
import { Secret } from '../../src/lib/base/secret.ts'
import { freePort } from '../harness/free-port.ts'
import { redisMissing, startRedis, type TestRedis } from '../harness/redis.ts'

const suite = redisMissing === undefined ? describe : describe.skip

suite(`the doctor and Redis${redisMissing ? ` (${redisMissing})` : ''}`, () => {
  let redis: TestRedis
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis.dispose())
  const cli = (...args: string[]) => Bun.spawnSync(['redis-cli', '-p', String(redis.port), ...args])

  test('accepts a healthy one', async () => {
    expect(await checkRedis(new Secret(redis.url))).toMatchObject({ check: 'redis', status: 'ok' })
  })

  test('warns of one that may evict limits', async () => {
    cli('CONFIG', 'SET', 'maxmemory', '100mb')
    cli('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru')
    const finding = await checkRedis(new Secret(redis.url))
    expect(finding).toMatchObject({ status: 'warning', advice: expect.stringContaining('noevict') })
  })

  test('reports why it is unavailable, without address or password', async () => {
    const url = `redis://user:s3cret@127.0.0.1:${await freePort()}`
    const finding = await checkRedis(new Secret(url))
    expect(finding).toMatchObject({ status: 'problem' })
    expect(finding.message).toContain('ECONNREFUSED')
    expect(JSON.stringify(finding)).not.toMatch(/s3cret|127\.0\.0\.1/)
  }, 20_000)
})
