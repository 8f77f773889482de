import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { setBlocked } from '../blocks/testing/set-blocked.ts'
import { AUDIT_ACTIONS } from './actions.ts'
import { createTestDashboard, type TestAnswer, type TestDashboard } from './testing/dashboard.ts'
import { COMMAND_LINE } from './types.ts'

const URL_A = 'https://a.example/'
const PASSWORD = 'correct horse battery'

let dashboard: TestDashboard
beforeAll(async () => {
  dashboard = await createTestDashboard()
  await dashboard.as('owner', 'PATCH', `/instance/workspaces/${dashboard.workspace.id}`, {
    plan: 'big',
  })
})
afterAll(() => dashboard.close())

/** What `work` added to the log, shortened to actor, action, label and changes. */
async function recorded(work: () => Promise<unknown>) {
  const before = (await dashboard.entries()).length
  await work()
  return (await dashboard.entries())
    .slice(before)
    .map((row) => [
      `${row.actor_type} ${row.actor_label}`,
      row.action,
      row.target_label,
      JSON.parse(row.before),
      JSON.parse(row.after),
    ])
}

async function makeKey(scopes = ['links:read', 'links:write'], name = 'ci') {
  const { body } = await dashboard.as('admin', 'POST', '/keys', { name, scopes })
  return body as { id: string; key: string; prefix: string }
}

describe('the audit log', () => {
  test('has one entry of every change of a link, by a person and by a key', async () => {
    const { key } = await makeKey()
    const actors: [string, (...request: [string, string, object?]) => Promise<TestAnswer>][] = [
      ['user member@example.com', (...request) => dashboard.as('member', ...request)],
      ['api_key ci', (...request) => dashboard.withKey(key, ...request)],
    ]
    for (const [actor, send] of actors) {
      const slug = actor.replace(/\W/g, '')
      let id = ''
      expect(
        await recorded(async () => {
          const body = { destination_url: URL_A, slug, password: PASSWORD, tags: ['t'] }
          id = (await send('POST', '/links', body)).body.id
        }),
      ).toEqual([
        [
          actor,
          'link.created',
          slug,
          {},
          { slug, destination_url: URL_A, tags: ['t'], has_password: true },
        ],
      ])
      const path = `/links/${id}`
      expect(await recorded(() => send('PATCH', path, { title: 'T', enabled: false }))).toEqual([
        [
          actor,
          'link.updated',
          slug,
          { title: null, enabled: true },
          { title: 'T', enabled: false },
        ],
      ])
      expect(await recorded(() => send('DELETE', path))).toEqual([
        [actor, 'link.deleted', slug, { slug, destination_url: URL_A }, {}],
      ])
      expect(await recorded(() => send('POST', `${path}/restore`))).toEqual([
        [actor, 'link.restored', slug, {}, {}],
      ])
      expect(await recorded(() => send('POST', `${path}/restore`, { version: 1 }))).toEqual([
        [
          actor,
          'link.restored',
          slug,
          { title: 'T', enabled: false },
          { title: null, enabled: true },
        ],
      ])
      const history = await send('GET', `${path}/history`)
      expect(history.body.data).toHaveLength(5)
      expect(history.body.data[0].actor).toMatchObject({
        type: actor.split(' ')[0],
        // By name: only those who may read the audit log see addresses.
        name: actor.split(' ')[1]?.split('@')[0],
      })
    }
  })

  test('has one entry of every export of clicks: who, which clicks, which format', async () => {
    const { key } = await makeKey(['links:read'], 'exporter')
    const link = (await dashboard.as('member', 'POST', '/links', { destination_url: URL_A })).body
    const query = 'country=DE&from=2030-01-01&bots=include'
    expect(
      await recorded(async () => {
        await dashboard.as('viewer', 'GET', `/links/${link.id}/clicks.parquet`)
        for (const format of ['csv', 'ndjson']) {
          const { body } = await dashboard.withKey(key, 'GET', `/clicks.${format}?${query}`)
          expect(body).toBe('no clicks')
        }
        // These export nothing.
        await dashboard.as('viewer', 'HEAD', '/clicks.csv')
        await dashboard.as('viewer', 'GET', '/clicks.csv?bots=perhaps')
      }),
    ).toEqual([
      [
        'user viewer@example.com',
        'clicks.exported',
        `clicks-${link.id}.parquet`,
        {},
        { format: 'parquet', link_id: link.id },
      ],
      ...['csv', 'ndjson'].map((format) => [
        'api_key exporter',
        'clicks.exported',
        `clicks.${format}`,
        {},
        { format, country: 'DE', from: '2030-01-01', bots: 'include' },
      ]),
    ])
  })

  test('has no entry of changes without effect or failed ones', async () => {
    const link = (await dashboard.as('member', 'POST', '/links', { destination_url: URL_A })).body
    const key = await makeKey()
    await dashboard.as('admin', 'DELETE', `/keys/${key.id}`)
    const requests: [string, string, string, object?][] = [
      ['member', 'PATCH', `/links/${link.id}`, {}],
      ['member', 'PATCH', `/links/${link.id}`, { destination_url: URL_A }],
      ['member', 'POST', `/links/${link.id}/restore`, { version: 1 }],
      ['admin', 'DELETE', `/keys/${key.id}`],
      ['owner', 'PATCH', '/workspace', { name: 'Acme' }],
      ['owner', 'PATCH', '/members/usr_member', { role: 'member' }],
      ['owner', 'PATCH', `/instance/workspaces/${dashboard.workspace.id}`, { plan: 'big' }],
      // Refused at various stages.
      ['viewer', 'POST', '/links', { destination_url: URL_A }],
      ['member', 'POST', '/links', { destination_url: URL_A, slug: link.slug }],
      ['member', 'POST', '/links', { destination_url: URL_A, aliases: ['free', link.slug] }],
      ['member', 'PATCH', '/links/lnk_none', { title: 'x' }],
      ['member', 'DELETE', '/links/lnk_none'],
      ['admin', 'POST', '/keys', { name: '', scopes: [] }],
      ['admin', 'POST', `/keys/${key.id}/rotate`, {}],
      ['admin', 'PATCH', '/members/usr_owner', { role: 'viewer' }],
      ['owner', 'DELETE', '/members/usr_owner'],
      ['admin', 'POST', '/invitations', { email: 'viewer@example.com', role: 'viewer' }],
      ['owner', 'DELETE', '/workspace', { confirm_name: 'acme' }],
      ['owner', 'PATCH', '/workspace', { name: ' ' }],
    ]
    for (const request of requests) {
      expect([request, await recorded(() => dashboard.as(...request))]).toEqual([request, []])
    }
    // A later failure rolls back the change and its entry.
    const { storage, links, workspace } = dashboard
    const plan = { limits: { links: null, addresses: null } }
    const caller = { workspace: { no: workspace.no, plan }, actor: COMMAND_LINE }
    const prepared = await links.prepareCreate(caller, {
      destination_url: { given: URL_A, target: URL_A },
    })
    const failing = () =>
      storage
        .write(async (tx) => {
          await links.create(tx, caller, prepared)
          throw new Error('after the change')
        })
        .catch(() => {})
    expect(await recorded(failing)).toEqual([])
    const numbers = (await dashboard.entries()).map(({ seq }) => seq % 2 ** 32)
    expect(numbers).toEqual(numbers.map((_, i) => i + 1))
  })

  test('has one entry of every change of keys, members, invitations and the workspace', async () => {
    const admin = 'user admin@example.com'
    const owner = 'user owner@example.com'
    const at = (ms: number) => new Date(dashboard.clock.ms + ms).toISOString()
    let key = { id: '', prefix: '' }
    const made = await recorded(async () => {
      key = await makeKey(['links:write', 'links:read'], 'build')
    })
    const scopes = ['links:read', 'links:write']
    expect(made).toEqual([
      [
        admin,
        'api_key.created',
        'build',
        {},
        { name: 'build', prefix: key.prefix, scopes, expires_at: null },
      ],
    ])
    let successor = { id: '', prefix: '' }
    const rotated = await recorded(async () => {
      const { body } = await dashboard.as('admin', 'POST', `/keys/${key.id}/rotate`, {
        overlap_seconds: 7200,
      })
      successor = body
    })
    expect(rotated).toEqual([
      [
        admin,
        'api_key.rotated',
        'build',
        { expires_at: null },
        {
          expires_at: at(7_200_000),
          successor: successor.id,
          successor_prefix: successor.prefix,
        },
      ],
    ])
    expect(await recorded(() => dashboard.as('admin', 'DELETE', `/keys/${successor.id}`))).toEqual([
      [admin, 'api_key.revoked', 'build', { revoked_at: null }, { revoked_at: at(0) }],
    ])

    let invitation = { id: '' }
    const invited = await recorded(async () => {
      const body = { email: 'new@example.com', role: 'member' }
      invitation = (await dashboard.as('admin', 'POST', '/invitations', body)).body
    })
    expect(invited).toEqual([
      [
        admin,
        'invitation.created',
        'new@example.com',
        {},
        { role: 'member', expires_at: at(7 * 86_400_000) },
      ],
    ])
    expect(
      await recorded(() => dashboard.as('admin', 'DELETE', `/invitations/${invitation.id}`)),
    ).toEqual([[admin, 'invitation.revoked', 'new@example.com', { role: 'member' }, {}]])

    expect(
      await recorded(() =>
        dashboard.as('owner', 'PATCH', '/members/usr_viewer', { role: 'member' }),
      ),
    ).toEqual([
      [owner, 'member.updated', 'viewer@example.com', { role: 'viewer' }, { role: 'member' }],
    ])
    expect(await recorded(() => dashboard.as('admin', 'DELETE', '/members/usr_viewer'))).toEqual([
      [admin, 'member.removed', 'viewer@example.com', { role: 'member' }, {}],
    ])
    const { storage, clock, workspace, administration, links } = dashboard
    await dashboard.as('admin', 'POST', '/invitations', {
      email: 'Viewer@example.com',
      role: 'viewer',
    })
    const token = dashboard.mails.at(-1)?.token ?? ''
    const viewer = { id: 'usr_viewer', email: 'viewer@example.com' }
    const actor = { type: 'user', id: viewer.id, name: viewer.email, requestId: 'req_1' } as const
    expect(
      await recorded(() =>
        storage.write((tx) => administration.invitations.accept(tx, token, viewer, actor)),
      ),
    ).toEqual([
      ['user viewer@example.com', 'member.joined', 'viewer@example.com', {}, { role: 'viewer' }],
    ])
    expect(await recorded(() => dashboard.as('viewer', 'DELETE', '/members/usr_viewer'))).toEqual([
      ['user viewer@example.com', 'member.left', 'viewer@example.com', { role: 'viewer' }, {}],
    ])

    expect(
      await recorded(() => dashboard.as('owner', 'PATCH', '/workspace', { language: 'de' })),
    ).toEqual([[owner, 'workspace.updated', 'Acme', { language: null }, { language: 'de' }]])
    const path = `/instance/workspaces/${workspace.id}`
    expect(await recorded(() => dashboard.as('owner', 'PATCH', path, { plan: 'small' }))).toEqual([
      // By name: the workspace must not learn the address of the instance's owner.
      ['user owner', 'workspace.plan_changed', 'Acme', { plan: 'big' }, { plan: 'small' }],
    ])
    expect(
      await recorded(() =>
        storage.write((tx) => administration.workspaces.setPlan(tx, 'acme', 'big', COMMAND_LINE)),
      ),
    ).toEqual([
      [
        'command command line',
        'workspace.plan_changed',
        'Acme',
        { plan: 'small' },
        { plan: 'big' },
      ],
    ])
    const { id, slug } = (
      await dashboard.as('member', 'POST', '/links', { destination_url: URL_A })
    ).body
    const ctx = { storage, clock, domains: links.rules.domains }
    expect(await recorded(() => setBlocked(ctx, id, true))).toEqual([
      [
        'command command line',
        'link.blocked',
        slug,
        { blocked: false },
        { blocked: true, reason: 'spam' },
      ],
    ])
  })

  test('contains no secret', async () => {
    const secrets = [PASSWORD, 'hash of']
    const key = await makeKey(undefined, 'secret test')
    const second = (await dashboard.as('admin', 'POST', `/keys/${key.id}/rotate`, {})).body
    secrets.push(key.key, key.key.slice(14), second.key, second.key.slice(14))
    const link = (
      await dashboard.withKey(key.key, 'POST', '/links', {
        destination_url: URL_A,
        password: PASSWORD,
      })
    ).body
    await dashboard.withKey(key.key, 'PATCH', `/links/${link.id}`, { password: 'another phrase' })
    secrets.push('another phrase')
    await dashboard.as('admin', 'POST', '/invitations', { email: 's@example.com', role: 'viewer' })
    const token = dashboard.mails.at(-1)?.token ?? ''
    secrets.push(token, new Bun.CryptoHasher('sha256').update(token).digest('hex'))
    const { db } = dashboard.storage.read
    for (const { hash } of await db.selectFrom('api_keys').select('hash').execute()) {
      secrets.push(hash)
    }
    const text = JSON.stringify(await dashboard.entries())
    for (const secret of secrets) expect(text).not.toContain(secret)
    expect(token).toHaveLength(43)
    const invitations = JSON.stringify(await db.selectFrom('invitations').selectAll().execute())
    expect(invitations).not.toContain(token)
  })

  test('is listed newest first, with filters and pages, for those who may read it', async () => {
    expect((await dashboard.as('member', 'GET', '/audit')).body.error.code).toBe('FORBIDDEN')
    const all = (await dashboard.entries()).reverse()
    const read = async (query: string) => {
      const data: { id: string; action: string; actor: object; target: { id: string } }[] = []
      for (let cursor = ''; ; ) {
        const page = await dashboard.as('admin', 'GET', `/audit?limit=7${query}${cursor}`)
        expect(page.status).toBe(200)
        data.push(...page.body.data)
        if (!page.body.pagination.has_more) return data
        cursor = `&cursor=${page.body.pagination.next_cursor}`
      }
    }
    const idsOf = (rows: typeof all) => rows.map(({ seq }) => `aud_${seq % 2 ** 32}`)
    const expectFound = async (query: string, test: (row: (typeof all)[number]) => boolean) => {
      const expected = idsOf(all.filter(test))
      expect(expected.length).toBeGreaterThan(0)
      expect((await read(query)).map(({ id }) => id)).toEqual(expected)
    }
    await expectFound('', () => true)
    await expectFound('&action=link.updated', ({ action }) => action === 'link.updated')
    await expectFound('&action=api_key', ({ action }) => action.startsWith('api_key.'))
    await expectFound('&actor=usr_admin', ({ actor_id }) => actor_id === 'usr_admin')
    await expectFound('&actor=command', ({ actor_type }) => actor_type === 'command')
    await expectFound('&actor=ci', ({ actor_label }) => actor_label === 'ci')
    await expectFound('&action=member&action=link.deleted', ({ action }) =>
      /^(member\.|link\.deleted$)/.test(action),
    )
    await expectFound('&grouped=true', ({ group_seq }) => group_seq === null)
    await expectFound('&search=BUILD', ({ target_label }) => target_label === 'build')
    expect(await read('&group=aud_1')).toEqual([])
    for (const group of ['aud_', 'aud_1.5', '1', 'aud_99999999999']) {
      const refused = await dashboard.as('admin', 'GET', `/audit?group=${group}`)
      expect([group, refused.status]).toEqual([group, 422])
    }
    const target = all.find(({ action }) => action === 'link.restored')?.target_id ?? ''
    await expectFound(`&target=${target}`, ({ target_id }) => target_id === target)
    await expectFound('&target=Acme&action=workspace', ({ action }) =>
      action.startsWith('workspace.'),
    )
    await expectFound('&after=2030-01-31T09:00:00Z&before=2030-01-31T09:00:00.001Z', () => true)
    expect(await read('&after=2030-01-31T09:00:00.001Z')).toEqual([])
    const { next_cursor: cursor } = (await dashboard.as('admin', 'GET', '/audit?limit=1')).body
      .pagination
    const other = await dashboard.as('admin', 'GET', `/audit?action=link&cursor=${cursor}`)
    expect(other.body.error.details[0].code).toBe('INVALID_CURSOR')
    for (const { action } of all) expect(AUDIT_ACTIONS as readonly string[]).toContain(action)
    expect(await dashboard.administration.audit.recent(3)).toHaveLength(3)
  })

  test('has every action documented', async () => {
    const guide = await Bun.file('docs/history.md').text()
    expect(AUDIT_ACTIONS.filter((action) => !guide.includes(`\`${action}\``))).toEqual([])
  })
})
