import { describe, expect, test } from 'bun:test'
import { COMMAND_LINE } from '../audit/index.ts'
import { BOTH, codeOf, DAY, HOUR, keysFixture, START } from './testing/fixture.ts'

const { storage, service, pass, create, revoke, rotate, works, used } = keysFixture()

describe('revoke', () => {
  test('takes an id or a prefix, and is idempotent', async () => {
    const { id, key, prefix } = await create()
    const revoked = await revoke(prefix)
    expect(revoked).toMatchObject({ id, status: 'revoked', revoked_at: '2030-01-31T09:00:00.000Z' })
    pass(HOUR)
    expect(await revoke(id)).toEqual(revoked)
    expect(await works(key)).toBe(false)
    expect(await used()).toBe(0)
  })

  test('refuses unknown keys, and a key of another workspace', async () => {
    const { id } = await create()
    expect(await codeOf(revoke('key_nothing'))).toBe('KEY_NOT_FOUND')
    const foreign = storage().write((tx) =>
      service().revoke(tx, id, { workspaceNo: 2 }, COMMAND_LINE),
    )
    expect(await codeOf(foreign)).toBe('KEY_NOT_FOUND')
    expect(await used()).toBe(1)
  })

  test('counts once under concurrency', async () => {
    const { id } = await create()
    await create()
    await Promise.all(Array.from({ length: 20 }, () => revoke(id)))
    expect(await used()).toBe(1)
  })
})

describe('rotate', () => {
  test('makes an equal successor, and the old key works during the overlap', async () => {
    const old = await create(1, { ...BOTH, expiresAt: START + 90 * DAY })
    pass(10 * DAY)
    const successor = await rotate(old.prefix)
    expect(Object.keys(successor)).toEqual(Object.keys(old))
    expect(successor.scopes).toEqual(old.scopes)
    expect(successor.expires_at).toBe(new Date(START + 100 * DAY).toISOString())
    expect(await service().get(successor.id)).toMatchObject({ name: 'ci', rotated_from: old.id })
    pass(DAY - 1)
    expect([await works(old.key), await works(successor.key)]).toEqual([true, true])
    pass(1)
    expect([await works(old.key), await works(successor.key)]).toEqual([false, true])
  })

  test('never lengthens the old key, and ends it immediately without an overlap', async () => {
    const short = await create(1, { ...BOTH, expiresAt: START + HOUR })
    await rotate(short.id)
    expect((await service().get(short.id)).expires_at).toBe(new Date(START + HOUR).toISOString())
    const endless = await create()
    expect((await rotate(endless.id, 0)).expires_at).toBeNull()
    expect(await works(endless.key)).toBe(false)
  })

  test('needs no further place, even at the plan’s limit', async () => {
    const first = await create(2)
    await create(2)
    const successor = await rotate(first.id)
    expect(await used(2)).toBe(2)
    await revoke(first.id)
    expect(await used(2)).toBe(2)
    await revoke(successor.id)
    expect(await used(2)).toBe(1)
    pass(2 * DAY)
    await create(2)
    expect(await codeOf(create(2))).toBe('PLAN_LIMIT_REACHED')
  })

  test('allows at most two active keys per place', async () => {
    const first = await create()
    const second = await rotate(first.id)
    expect(await codeOf(rotate(first.id))).toBe('KEY_ALREADY_ROTATED')
    expect(await codeOf(rotate(second.id))).toBe('ROTATION_IN_PROGRESS')
    await revoke(first.id)
    const third = await rotate(second.id)
    pass(DAY)
    await rotate(third.id)
    expect(await used()).toBe(1)
  })

  test('refuses a key that has ended, and an overlap out of bounds', async () => {
    const revoked = await create()
    await revoke(revoked.id)
    expect(await codeOf(rotate(revoked.id))).toBe('KEY_REVOKED')
    const expired = await create(1, { ...BOTH, expiresAt: START + 1 })
    const living = await create()
    pass(1)
    expect(await codeOf(rotate(expired.id))).toBe('KEY_EXPIRED')
    for (const overlapMs of [-1, 91 * DAY, Number.NaN]) {
      expect(await codeOf(rotate(living.id, overlapMs))).toBe('VALIDATION_FAILED')
    }
  })

  test('happens once under concurrency', async () => {
    const { id } = await create()
    const attempts = await Promise.allSettled(Array.from({ length: 20 }, () => rotate(id)))
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })
})
