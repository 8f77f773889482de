import { describe, expect, test } from 'bun:test'
import { StorageUnavailable } from '../../platform/storage/index.ts'
import { COMMAND_LINE } from '../audit/index.ts'
import { prefixOf } from './authenticate.ts'
import { BOTH, codeOf, DAY, HOUR, keysFixture, START } from './testing/fixture.ts'

const { storage, service, serviceOn, openElsewhere, pass, create, revoke, works, setPlan, used } =
  keysFixture()

const detailsOf = async (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error) => error.details,
  )

/** As a client does after 503: on a busy machine the workspace's row may not come free in time. */
async function answered<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error
    }
  }
}

describe('create', () => {
  test('answers with the key once, and keeps no trace of its secret part', async () => {
    const made = await create(1, { ...BOTH, expiresAt: START + 90 * DAY })
    expect(Object.keys(made)).toEqual(['id', 'key', 'prefix', 'scopes', 'expires_at'])
    expect(made.id).toMatch(/^key_[0-9a-z]{26}$/)
    expect(prefixOf(made.key)).toBe(made.prefix)
    expect(made.scopes).toEqual(['links:read', 'links:write'])
    expect(made.expires_at).toBe('2030-05-01T09:00:00.000Z')
    const row = await storage().read.db.selectFrom('api_keys').selectAll().executeTakeFirstOrThrow()
    expect(JSON.stringify(row)).not.toContain(made.key.slice(14, 40))
    expect(row.hash).toMatch(/^[0-9a-f]{64}$/)
  })

  test('reports all failing fields together', async () => {
    const details = await detailsOf(
      create(1, { name: ' ', scopes: ['links:read', 'links:*'], expiresAt: START }),
    )
    expect(details.map((d: { field: string; code: string }) => [d.field, d.code])).toEqual([
      ['name', 'REQUIRED'],
      ['scopes[1]', 'INVALID_VALUE'],
      ['expires_at', 'ENDS_BEFORE_START'],
    ])
    expect(await detailsOf(create(1, { name: 'a', scopes: [] }))).toEqual([
      { field: 'scopes', code: 'REQUIRED' },
    ])
    expect(await codeOf(create(1, { ...BOTH, name: '🔑'.repeat(101) }))).toBe('VALIDATION_FAILED')
    expect(await codeOf(create(1, { ...BOTH, name: 'a\u0007b' }))).toBe('VALIDATION_FAILED')
    expect(await codeOf(create(1, { ...BOTH, expiresAt: Number.NaN }))).toBe('VALIDATION_FAILED')
    expect(await codeOf(create(1, { ...BOTH, name: '🔑'.repeat(100) }))).toBeNull()
    expect(await used()).toBe(1)
  })

  test('stops at the plan’s limit under concurrency and across processes', async () => {
    const elsewhere = await openElsewhere()
    const there = serviceOn(elsewhere)
    const attempts = await Promise.allSettled(
      Array.from({ length: 50 }, (_, i) =>
        answered(() =>
          i % 2 === 0 ? create() : elsewhere.write((tx) => there.create(tx, 1, BOTH, COMMAND_LINE)),
        ),
      ),
    )
    await elsewhere.close()
    const refused = attempts.filter((attempt) => attempt.status === 'rejected')
    expect(refused).toHaveLength(45)
    for (const { reason } of refused) {
      expect(reason.code).toBe('PLAN_LIMIT_REACHED')
      expect(reason.details).toEqual([
        { field: 'api_keys', code: 'API_KEYS_LIMIT', params: { limit: 5 } },
      ])
    }
    expect(await service().list({ workspaceNo: 1 })).toHaveLength(5)
    expect(await used()).toBe(5)
  })

  test('has no limit where the plan has none, and counts each workspace separately', async () => {
    await Promise.all(Array.from({ length: 30 }, () => create(3)))
    expect(await used(3)).toBe(30)
    expect(await codeOf(create(2))).toBeNull()
  })

  test('can replace a key that was revoked or has expired', async () => {
    const first = await create(2, { ...BOTH, expiresAt: START + HOUR })
    const second = await create(2)
    expect(await codeOf(create(2))).toBe('PLAN_LIMIT_REACHED')
    await revoke(second.id)
    await create(2)
    expect(await codeOf(create(2))).toBe('PLAN_LIMIT_REACHED')
    pass(HOUR)
    await create(2)
    expect(await codeOf(create(2))).toBe('PLAN_LIMIT_REACHED')
    expect((await service().get(first.id)).status).toBe('expired')
    // Its place was freed already.
    await revoke(first.id)
    expect(await used(2)).toBe(2)
  })

  test('is refused on a smaller plan, and existing keys stay', async () => {
    const made = [await create(), await create(), await create()]
    await setPlan(1, 'two')
    expect(await codeOf(create())).toBe('PLAN_LIMIT_REACHED')
    for (const { key } of made) expect(await works(key)).toBe(true)
    await revoke(made[0]?.id as string)
    expect(await codeOf(create())).toBe('PLAN_LIMIT_REACHED')
    await revoke(made[1]?.id as string)
    expect(await codeOf(create())).toBeNull()
  })

  test('draws again when a prefix is taken', async () => {
    let calls = 0
    const stuck = {
      bytes: (length: number) => new Uint8Array(length).fill(calls++ < 4 ? 7 : calls),
    }
    const unlucky = serviceOn(storage(), { random: stuck })
    const made = [
      await storage().write((tx) => unlucky.create(tx, 1, BOTH, COMMAND_LINE)),
      await storage().write((tx) => unlucky.create(tx, 1, BOTH, COMMAND_LINE)),
    ]
    expect(made[0]?.prefix).not.toBe(made[1]?.prefix)
    expect(await used()).toBe(2)
  })
})
