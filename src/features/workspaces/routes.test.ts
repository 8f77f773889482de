import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createTestDashboard, type TestDashboard } from '../audit/testing/dashboard.ts'

const URL_A = 'https://a.example/'

let dashboard: TestDashboard
beforeEach(async () => {
  dashboard = await createTestDashboard()
})
afterEach(() => dashboard.close())

const setPlan = (plan: string, as = 'owner') =>
  dashboard.as(as, 'PATCH', `/instance/workspaces/${dashboard.workspace.id}`, { plan })

describe('the workspace', () => {
  test('is shown to its members, and changed by its owners', async () => {
    const { body } = await dashboard.as('viewer', 'GET', '/workspace')
    expect(body).toEqual({
      id: dashboard.workspace.id,
      name: 'Acme',
      language: null,
      require_two_factor: false,
      slug_length: 7,
      slug_style: 'readable',
      slug_prefix: null,
      plan: 'small',
      created_at: '2030-01-31T09:00:00.000Z',
    })
    const patch = { name: ' Acme & Söhne ', language: 'pt-BR' }
    expect((await dashboard.as('admin', 'PATCH', '/workspace', patch)).status).toBe(403)
    const changed = await dashboard.as('owner', 'PATCH', '/workspace', patch)
    expect(changed.body).toEqual({ ...body, name: 'Acme & Söhne', language: 'pt-BR' })
    const cleared = await dashboard.as('owner', 'PATCH', '/workspace', { language: null })
    expect(cleared.body.language).toBeNull()
    // The case of one's own name may change.
    await dashboard.as('owner', 'PATCH', '/workspace', { name: 'ACME & SÖHNE' })
    expect((await dashboard.as('viewer', 'GET', '/workspace')).body.name).toBe('ACME & SÖHNE')
  })

  test('may have the name of another, but no unknown language', async () => {
    const { storage, administration } = dashboard
    await storage.write((tx) =>
      administration.workspaces.create(
        tx,
        { name: 'Other' },
        { type: 'command', id: null, name: 'x', requestId: null },
      ),
    )
    const taken = await dashboard.as('owner', 'PATCH', '/workspace', { name: 'oTHER' })
    expect([taken.status, taken.body.name]).toEqual([200, 'oTHER'])
    for (const patch of [{ name: '' }, { name: 'a'.repeat(101) }, { language: 'xx' }, { no: 1 }]) {
      expect((await dashboard.as('owner', 'PATCH', '/workspace', patch)).status).toBe(422)
    }
  })

  test('is deleted by an owner who types its name, with all of its content', async () => {
    await setPlan('big')
    const { key } = (
      await dashboard.as('owner', 'POST', '/keys', { name: 'k', scopes: ['links:read'] })
    ).body
    const made: { id: string; slug: string }[] = []
    for (let i = 0; i < 120; i++) {
      const body = { destination_url: URL_A, slug: `s${i}`, tags: ['t'], password: 'p' }
      made.push((await dashboard.as('member', 'POST', '/links', body)).body)
    }
    await dashboard.as('member', 'DELETE', `/links/${made[0]?.id}`)
    const wrong = await dashboard.as('owner', 'DELETE', '/workspace', { confirm_name: 'Acm' })
    expect(wrong.body.error.details).toMatchObject([
      { field: 'confirm_name', code: 'NAME_MISMATCH' },
    ])
    const confirmed = { confirm_name: 'Acme' }
    expect((await dashboard.as('admin', 'DELETE', '/workspace', confirmed)).status).toBe(403)
    expect((await dashboard.as('owner', 'DELETE', '/workspace', confirmed)).status).toBe(204)

    expect((await dashboard.withKey(key, 'GET', '/links')).status).toBe(401)
    expect((await dashboard.as('owner', 'GET', '/workspace')).status).toBe(404)
    await dashboard.administration.purge()
    const { db } = dashboard.storage.read
    for (const table of ['links', 'link_tags', 'deleted_links', 'members', 'api_keys'] as const) {
      expect([table, await db.selectFrom(table).selectAll().execute()]).toEqual([table, []])
    }
    expect(dashboard.removed).toHaveLength(120)
    expect((await dashboard.entries()).map(({ action }) => action)).toEqual(['workspace.deleted'])
    const gone = await db.selectFrom('deleted_workspaces').selectAll().execute()
    expect(gone).toMatchObject([{ id: dashboard.workspace.id, purged_at: dashboard.clock.ms }])
    // Its slugs stay taken, its name is free.
    const slugs = await db.selectFrom('slugs').selectAll().execute()
    expect(slugs).toHaveLength(120)
    expect(slugs.every(({ link_seq }) => link_seq === null)).toBe(true)
    const again = await dashboard.storage.write((tx) =>
      dashboard.administration.workspaces.create(
        tx,
        { name: 'Acme' },
        { type: 'command', id: null, name: 'x', requestId: null },
      ),
    )
    expect(again.no).toBeGreaterThan(dashboard.workspace.no)
  })
})

describe('the instance’s workspaces', () => {
  test('are listed for its owner, by a part of the name, in pages', async () => {
    const { storage, administration } = dashboard
    const names = ['100%', 'under_score', 'Straße 1', 'Straße 2', 'Straße 3']
    for (const name of names) {
      await storage.write((tx) =>
        administration.workspaces.create(
          tx,
          { name },
          { type: 'command', id: null, name: 'x', requestId: null },
        ),
      )
    }
    expect((await dashboard.as('admin', 'GET', '/instance/workspaces')).status).toBe(403)
    const find = async (query: string) =>
      (await dashboard.as('owner', 'GET', `/instance/workspaces?${query}`)).body
    const { data } = await find('')
    expect(data.map(({ name }: { name: string }) => name)).toEqual([
      'Straße 3',
      'Straße 2',
      'Straße 1',
      'under_score',
      '100%',
      'Acme',
    ])
    expect(data.at(-1)).toEqual({
      id: dashboard.workspace.id,
      name: 'Acme',
      plan: 'small',
      language: null,
      require_two_factor: false,
      links: 0,
      addresses: 0,
      api_keys: 0,
      members: 4,
      created_at: '2030-01-31T09:00:00.000Z',
    })
    const namesOf = (page: { data: { name: string }[] }) => page.data.map(({ name }) => name)
    expect(namesOf(await find(`search=${encodeURIComponent('%')}`))).toEqual(['100%'])
    expect(namesOf(await find('search=_'))).toEqual(['under_score'])
    expect(namesOf(await find(`search=${dashboard.workspace.id}`))).toEqual(['Acme'])
    const first = await find('search=STRASSE&limit=2')
    expect(namesOf(first)).toEqual(['Straße 3', 'Straße 2'])
    const cursor = first.pagination.next_cursor
    expect(namesOf(await find(`search=STRASSE&limit=2&cursor=${cursor}`))).toEqual(['Straße 1'])
    expect((await find(`search=x&cursor=${cursor}`)).error.code).toBe('BAD_REQUEST')
  })

  test('can be moved to existing plans by its owner', async () => {
    expect((await setPlan('big', 'admin')).body.error.code).toBe('FORBIDDEN')
    const unknown = (await setPlan('gold')).body.error
    expect(unknown.details).toMatchObject([{ field: 'plan', code: 'INVALID_VALUE' }])
    expect(unknown.details[0].message).toContain('big')
    expect((await setPlan('big')).body.plan).toBe('big')
    for (const ref of ['Acme', 'wsp_none']) {
      const path = `/instance/workspaces/${ref}`
      const none = await dashboard.as('owner', 'PATCH', path, { plan: 'big' })
      expect([none.status, none.body.error.code]).toEqual([404, 'WORKSPACE_NOT_FOUND'])
    }
  })
})
