import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createTestDashboard, type TestDashboard } from '../audit/testing/dashboard.ts'

let dashboard: TestDashboard
let manager: Made
beforeEach(async () => {
  dashboard = await createTestDashboard()
  await setPlan('big')
  manager = await made(['keys:write', 'links:read', 'links:create'])
})
afterEach(() => dashboard.close())

interface Made {
  id: string
  key: string
}

const setPlan = (plan: string) =>
  dashboard.as('owner', 'PATCH', `/instance/workspaces/${dashboard.workspace.id}`, { plan })
/** A key that the admin makes in the dashboard. */
const made = async (scopes: string[], more: object = {}): Promise<Made> =>
  (await dashboard.as('admin', 'POST', '/keys', { name: 'k', scopes, ...more })).body
const call = (method: string, path: string, body?: object, key = manager.key) =>
  dashboard.withKey(key, method, path, body)
const create = (scopes: string[], more: object = {}, key = manager.key) =>
  call('POST', '/keys', { name: 'made', scopes, ...more }, key)
const seen = ({ status, body }: Awaited<ReturnType<typeof call>>) => [status, body?.error?.code]

describe('keys by API', () => {
  test('are created, read, renamed and revoked', async () => {
    const { status, headers, body } = await create(['links:read'], {
      expires_at: '2030-03-01T00:00:00Z',
    })
    expect([status, headers.get('cache-control')]).toEqual([201, 'no-store'])
    expect(headers.get('location')).toBe(`/api/v1/keys/${body.id}`)
    const { key, ...rest } = body
    expect(rest).toMatchObject({
      name: 'made',
      scopes: ['links:read'],
      status: 'active',
      expires_at: '2030-03-01T00:00:00.000Z',
    })
    // No email address: programs see people's names.
    expect(JSON.stringify(body)).not.toContain('@')
    const path = `/keys/${body.id}`
    expect((await call('GET', path)).body).toEqual(rest)
    const renamed = await call('PATCH', path, { name: ' new ' })
    expect([renamed.status, renamed.body]).toEqual([200, { ...rest, name: 'new' }])
    expect(seen(await call('PATCH', path, { name: '' }))).toEqual([422, 'VALIDATION_FAILED'])
    expect(seen(await call('PATCH', path, { scopes: [] }))).toEqual([422, 'VALIDATION_FAILED'])
    expect((await call('GET', '/me', undefined, key)).body.scopes).toEqual(['links:read'])
    expect(seen(await call('DELETE', path))).toEqual([204, undefined])
    expect(seen(await call('GET', '/me', undefined, key))).toEqual([401, 'INVALID_API_KEY'])
    for (const method of ['DELETE', 'GET', 'PATCH']) {
      const again = await call(method, path, method === 'PATCH' ? { name: 'x' } : undefined)
      expect(seen(again)).toEqual([404, 'KEY_NOT_FOUND'])
    }
    const actions = (await dashboard.entries()).filter(({ target_id }) => target_id === body.id)
    expect(
      actions.map(({ action, actor_type, actor_id }) => [action, actor_type, actor_id]),
    ).toEqual(
      ['created', 'updated', 'revoked'].map((what) => [`api_key.${what}`, 'api_key', manager.id]),
    )
    expect(JSON.stringify(await dashboard.entries())).not.toContain(key)
  })

  test('are listed page by page, newest first, without revoked ones', async () => {
    const ids = [manager.id]
    for (let i = 0; i < 4; i++) ids.unshift((await create(['links:read'])).body.id)
    await call('DELETE', `/keys/${ids[1]}`)
    const all = async (query: string) => {
      const found: string[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const page = await call('GET', `/keys?limit=2${query}${cursor && `&cursor=${cursor}`}`)
        expect(page.body.pagination).toMatchObject({ limit: 2 })
        expect(page.body.data.length).toBeLessThanOrEqual(2)
        found.push(...page.body.data.map(({ id }: Made) => id))
        cursor = page.body.pagination.next_cursor
        expect(page.body.pagination.has_more).toBe(cursor !== null)
      }
      return found
    }
    expect(await all('')).toEqual(ids.filter((_, i) => i !== 1))
    expect(await all('&include_revoked=true')).toEqual(ids)
    const { next_cursor } = (await call('GET', '/keys?limit=2')).body.pagination
    const other = await call('GET', `/keys?limit=2&include_revoked=true&cursor=${next_cursor}`)
    expect(seen(other)).toEqual([400, 'BAD_REQUEST'])
  })

  test('get no scope that their maker hasn’t got', async () => {
    for (const scopes of [['links:read'], ['stats:read'], ['keys:write', 'links:create']]) {
      expect((await create(scopes)).status).toBe(201)
    }
    for (const scopes of [['links:write'], ['links:read', 'domains:read'], ['domains:write']]) {
      expect(seen(await create(scopes))).toEqual([403, 'SCOPE_NOT_GRANTABLE'])
    }
    const writer = await made(['links:write', 'keys:write'])
    expect((await create(['links:create'], {}, writer.key)).status).toBe(201)
    expect(seen(await create(['links:read'], {}, writer.key))).toEqual([403, 'SCOPE_NOT_GRANTABLE'])
    // Rotation shows a key too.
    expect(seen(await call('POST', `/keys/${writer.id}/rotate`))).toEqual([
      403,
      'SCOPE_NOT_GRANTABLE',
    ])
    expect((await call('GET', '/links', undefined, writer.key)).status).toBe(403)
    expect(await dashboard.keys.authenticate(writer.key, '192.0.2.1')).not.toBeNull()
  })

  test('rotate and revoke themselves', async () => {
    const path = `/keys/${manager.id}`
    const { status, headers, body } = await call('POST', `${path}/rotate`, { overlap_seconds: 60 })
    expect([status, headers.get('cache-control')]).toEqual([201, 'no-store'])
    expect(headers.get('location')).toBe(`/api/v1/keys/${body.id}`)
    expect(body).toMatchObject({ rotated_from: manager.id, name: 'k' })
    expect((await call('GET', path)).body).toMatchObject({ status: 'rotating' })
    dashboard.clock.ms += 60_000
    expect(seen(await call('GET', path))).toEqual([401, 'INVALID_API_KEY'])
    expect((await call('GET', path, undefined, body.key)).body.status).toBe('expired')
    expect((await call('DELETE', `/keys/${body.id}`, undefined, body.key)).status).toBe(204)
    expect(seen(await call('GET', path, undefined, body.key))).toEqual([401, 'INVALID_API_KEY'])
  })

  test('leave no successor when they are revoked during a request', async () => {
    const { keys, storage, workspace } = dashboard
    const actor = { type: 'api_key', id: manager.id, name: 'k', requestId: null } as const
    const input = { name: 'late', scopes: ['links:read'] }
    expect((await call('DELETE', `/keys/${manager.id}`)).status).toBe(204)
    const late = storage.write(async (tx) => {
      const { no } = await tx.db
        .selectFrom('workspaces')
        .select('no')
        .where('id', '=', workspace.id)
        .executeTakeFirstOrThrow()
      return keys.create(tx, no, input, actor)
    })
    expect(await late.catch(({ code }) => code)).toBe('INVALID_API_KEY')
  })

  test('take exactly the places of the plan', async () => {
    await setPlan('small')
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => create(['links:read'])))
    expect(outcomes.map(seen).sort()).toEqual([
      [201, undefined],
      ...Array(4).fill([403, 'PLAN_LIMIT_REACHED']),
    ])
  })

  test('end with the access of the person behind them, and see what they see', async () => {
    const { body } = await create(['links:read'])
    expect(await dashboard.keys.authenticate(body.key, '192.0.2.1')).toMatchObject({
      person: { id: 'usr_admin' },
    })
    expect((await dashboard.as('owner', 'DELETE', '/members/usr_admin')).status).toBe(204)
    for (const key of [manager.key, body.key]) {
      expect(seen(await call('GET', '/me', undefined, key))).toEqual([401, 'INVALID_API_KEY'])
    }
  })

  test('of another workspace are answered like missing ones', async () => {
    const { administration, storage, keys } = dashboard
    const command = { type: 'command', id: null, name: 'x', requestId: null } as const
    const foreign = await storage.write(async (tx) => {
      const { no } = await administration.workspaces.create(tx, { name: 'Other' }, command)
      return keys.create(tx, no, { name: 'theirs', scopes: ['links:read'] }, command)
    })
    for (const id of [foreign.id, foreign.prefix, 'key_none']) {
      const body = { name: 'x' }
      for (const answer of [
        await call('GET', `/keys/${id}`),
        await call('PATCH', `/keys/${id}`, body),
        await call('DELETE', `/keys/${id}`),
        await call('POST', `/keys/${id}/rotate`),
      ]) {
        expect(seen(answer)).toEqual([404, 'KEY_NOT_FOUND'])
      }
    }
    expect(await keys.authenticate(foreign.key, '192.0.2.1')).not.toBeNull()
  })
})
