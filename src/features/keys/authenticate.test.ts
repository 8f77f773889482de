import { describe, expect, test } from 'bun:test'
import { COMMAND_LINE } from '../audit/index.ts'
import { BOTH, HOUR, keysFixture, START } from './testing/fixture.ts'

const { storage, service, serviceOn, openElsewhere, pass, create, revoke, works, setPlan, plans } =
  keysFixture()

describe('authenticate', () => {
  test('finds the caller', async () => {
    const { id, key } = await create()
    expect(await service().authenticate(key, '192.0.2.1')).toEqual({
      kind: 'api_key',
      keyId: id,
      keyName: 'ci',
      scopes: new Set(['links:read', 'links:write']),
      workspace: { no: 1, id: 'wsp_five', language: 'de', plan: plans.of('five') },
    } as const)
  })

  test('finds the role of who made the key in the key’s workspace, not in another', async () => {
    const { id, key } = await create()
    await storage().write(async ({ db }) => {
      const user = {
        id: 'usr_two',
        name: 'Two',
        email: 'two@example.com',
        email_key: 'two@example.com',
      }
      const times = { created_at: START, updated_at: START }
      await db
        .insertInto('users')
        .values({ ...user, ...times, email_verified: 1 })
        .execute()
      for (const [workspace_no, role] of [
        [2, 'owner'],
        [1, 'viewer'],
      ] as const) {
        const member = { workspace_no, user_id: user.id, role, created_at: START }
        await db.insertInto('members').values(member).execute()
      }
      await db.updateTable('api_keys').set({ created_by: user.id }).where('id', '=', id).execute()
    })
    const caller = await service().authenticate(key, '192.0.2.1')
    expect(caller?.person).toMatchObject({ id: 'usr_two', role: 'viewer' })
  })

  test('uses a new plan immediately', async () => {
    const { key } = await create()
    await setPlan(1, 'two')
    expect((await service().authenticate(key, '192.0.2.1'))?.workspace.plan.id).toBe('two')
  })

  test('refuses malformed keys without a query', async () => {
    const { key } = await create()
    const unread = serviceOn({
      ...storage(),
      read: {
        ...storage().read,
        run: () => {
          throw new Error('read')
        },
      },
    })
    const typo = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')
    for (const text of ['', 'nonsense', typo, key.slice(1)]) {
      expect(await unread.authenticate(text, '192.0.2.1')).toBeNull()
    }
    await expect(unread.authenticate(key, '192.0.2.1')).rejects.toThrow()
  })

  test('refuses an unknown key, and a known prefix with another secret or pepper', async () => {
    const { key, prefix } = await create()
    const other = await create()
    const elsewhere = serviceOn(storage(), { pepper: new Uint8Array(32) })
    expect(await elsewhere.authenticate(key, '192.0.2.1')).toBeNull()
    await storage().write(async (tx) => {
      await tx.db.deleteFrom('api_keys').where('id', '=', other.id).execute()
    })
    expect(await works(other.key)).toBe(false)
    await storage().write(async (tx) => {
      const forged = { prefix: other.prefix }
      await tx.db.updateTable('api_keys').set(forged).where('prefix', '=', prefix).execute()
    })
    expect(await works(other.key)).toBe(false)
    expect(await works(key)).toBe(false)
  })

  test('refuses a key from its expiry on', async () => {
    const { key } = await create(1, { ...BOTH, expiresAt: START + HOUR })
    pass(HOUR - 1)
    expect(await works(key)).toBe(true)
    pass(1)
    expect(await works(key)).toBe(false)
  })

  test('refuses a key revoked by another process with the next request', async () => {
    const { id, key } = await create()
    expect(await works(key)).toBe(true)
    const elsewhere = await openElsewhere()
    await elsewhere.write((tx) => serviceOn(elsewhere).revoke(tx, id, {}, COMMAND_LINE))
    expect(await works(key)).toBe(false)
    await elsewhere.close()
  })
})

describe('last_used_at', () => {
  const lastUsed = async (id: string) => (await service().get(id)).last_used_at
  const at = (time: number) => new Date(time).toISOString()

  test('is written in the background, at most once a minute', async () => {
    const { id, key } = await create()
    await service().authenticate(key, '192.0.2.1')
    await service().flush()
    expect(await lastUsed(id)).toBe(at(START))
    pass(59_999)
    await service().authenticate(key, '192.0.2.1')
    await service().flush()
    expect(await lastUsed(id)).toBe(at(START))
    pass(1)
    await service().authenticate(key, '192.0.2.1')
    await service().close()
    expect(await lastUsed(id)).toBe(at(START + 60_000))
  })

  test('never fails a request, and is written later after a failure', async () => {
    const { id, key } = await create()
    let full = true
    const failing = serviceOn({
      ...storage(),
      read: storage().read,
      write: (work, options) =>
        full ? Promise.reject(new Error('disk full')) : storage().write(work, options),
    })
    expect(await failing.authenticate(key, '192.0.2.1')).not.toBeNull()
    await failing.flush()
    expect(await lastUsed(id)).toBeNull()
    full = false
    expect(await failing.authenticate(key, '192.0.2.1')).not.toBeNull()
    await failing.close()
    expect(await lastUsed(id)).toBe(at(START))
  })

  test('stays unknown for a key that was refused', async () => {
    const { id, key } = await create()
    await revoke(id)
    await service().authenticate(key, '192.0.2.1')
    await service().flush()
    expect(await lastUsed(id)).toBeNull()
  })
})
