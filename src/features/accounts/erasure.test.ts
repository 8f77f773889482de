import { afterEach, beforeEach, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { createLoopWatch } from '../../../test/harness/loop-watch.ts'
import { recordChange } from '../audit/index.ts'
import { insertJob } from '../jobs/store.ts'
import { insertWebhook, type WebhookRow } from '../webhooks/store.ts'
import type { Browser } from './testing/browser.ts'
import { createSite, PASSWORD, type TestSite } from './testing/site.ts'

const MEMBER = 'admin@example.com'
const NEW_ADDRESS = 'Ad.Min+new@example.org'
/** One that contains the address. */
const OTHER = 'the-admin@example.com'
const SETTLED_MS = 300_000

let site: TestSite
let owner: Browser
beforeEach(async () => {
  site = await createSite()
  owner = await site.owner()
})
afterEach(() => site.close())

/** All rows of all tables, as one text. */
async function everything(): Promise<string> {
  const { db, dialect } = site.storage.read
  const query =
    dialect === 'postgres'
      ? sql<{
          name: string
        }>`SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()`
      : sql<{ name: string }>`SELECT name FROM sqlite_master
          WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'`
  let text = ''
  for (const { name } of (await query.execute(db)).rows) {
    const { rows } = await sql`SELECT * FROM ${sql.table(name)}`.execute(db)
    text += `${name}\n${JSON.stringify(rows)}\n`
  }
  return text.toLowerCase()
}

/** Records exports by a person. */
function record(times: number, { id, name }: { id: string; name: string }, at: number) {
  const actor = { type: 'user', id, name, requestId: null } as const
  const target = { type: 'links', id: 'x', label: 'x' } as const
  return site.storage.write(async (tx) => {
    for (let i = 0; i < times; i++) {
      await recordChange(tx, actor, { workspaceNo: 1, at, action: 'links.exported', target })
    }
  })
}

/** A webhook that a person made when they had the first address. */
function webhookBy(id: string): WebhookRow {
  const none = { filter: null, disabled_reason: null, deleted_at: null, clicks_position: null }
  const idle = { next_at: null, lease_owner: null, lease_until: 0, failing_since: null }
  const keys = { salt: '00', old_salt: null, old_until: null }
  const times = { created_at: Date.now(), updated_at: Date.now() }
  return {
    id: 'whk_1',
    workspace_no: 1,
    url: 'https://hooks.example/',
    types: '["link.created"]',
    enabled: 1,
    actor_type: 'user',
    actor_id: id,
    actor_label: MEMBER,
    position: 0,
    version: 1,
    ...none,
    ...idle,
    ...keys,
    ...times,
  }
}

const remove = (browser: Browser, email: string) =>
  browser.send('DELETE', '/app/api/v1/account', { confirm_email: email })

test('the addresses of a deleted account are replaced by its id in every table', async () => {
  const browser = await site.joined(owner, 'admin')
  const { id } = (await browser.get('/app/api/v1/session')).body.user
  await site.users.create({ email: OTHER, password: PASSWORD })
  await owner.post('/app/api/v1/invitations', { email: OTHER, role: 'viewer' })
  const link = await browser.post('/app/api/v1/links', {
    destination_url: 'https://example.com/',
    slug: 'one',
  })
  expect(link.status).toBe(201)
  await browser.post('/app/api/v1/keys', { name: 'mine', scopes: ['links:read'] })
  const actor = { type: 'user', id, name: MEMBER, requestId: null }
  await site.storage.write((tx) =>
    insertJob(tx, {
      id: 'job_1',
      workspace_no: 1,
      type: 'links.by_filter',
      total: null,
      input: '{}',
      actor: JSON.stringify(actor),
      created_at: Date.now(),
    }),
  )
  await site.storage.write((tx) => insertWebhook(tx, webhookBy(id)))
  const block = { kind: 'link', value: 'one', reason: 'Phishing' }
  await owner.post('/app/api/v1/instance/blocks', block)
  await browser.post(`/app/api/v1/links/${link.body.id}/appeal`, { text: 'It is clean.' })
  await browser.post('/app/api/v1/account/email', { new_email: NEW_ADDRESS })
  const letter = site.letters.find(({ to }) => to === NEW_ADDRESS)
  const token = /#token=([^&\s]+)/.exec(letter?.text ?? '')?.[1]
  expect((await browser.post('/app/api/v1/account/email/confirm', { token })).status).toBe(204)
  await browser.send('PATCH', `/app/api/v1/links/${link.body.id}`, { title: 'New' })

  expect((await remove(browser, NEW_ADDRESS)).status).toBe(204)
  // A request that was still being answered.
  await record(1, { id, name: NEW_ADDRESS }, Date.now() + 1_000)
  // The address belongs to a new account, whose entries stay.
  site.pass(1_000)
  await site.users.create({ email: MEMBER, password: PASSWORD })
  await owner.post('/app/api/v1/invitations', { email: MEMBER, role: 'member' })
  await site.accounts.purge()
  site.pass(SETTLED_MS)
  await site.accounts.purge()

  const { body } = await owner.get('/app/api/v1/audit?limit=100')
  const own = body.data.filter((entry: { actor: { id: string } }) => entry.actor.id === id)
  expect(own.length).toBeGreaterThan(5)
  for (const { actor } of own) expect(actor.name).toBe(id)
  const joined = body.data.find(({ action }: { action: string }) => action === 'member.joined')
  expect(joined.target).toMatchObject({ id, label: id })
  const now = body.data.filter(
    ({ target }: { target: { label: string } }) => target.label === MEMBER,
  )
  expect(now).toMatchObject([{ action: 'invitation.created' }])

  const text = await everything()
  expect(text).toContain(OTHER)
  expect(text).not.toContain(NEW_ADDRESS.toLowerCase())
  // Only the new account and its invitation.
  const tables = text.split('\n')
  const having = tables.filter((_, i) => tables[i + 1]?.replaceAll(OTHER, '').includes(MEMBER))
  expect(having.sort()).toEqual(['audit', 'invitations', 'users'])
  expect(text).not.toContain('erase:')
})

test('an erasure goes on after a stop, and through a log of several steps', async () => {
  const browser = await site.joined(owner, 'admin')
  const { id } = (await browser.get('/app/api/v1/session')).body.user
  await record(2_500, { id, name: MEMBER }, Date.now())
  await remove(browser, MEMBER)
  await site.accounts.purge()
  expect((await everything()).match(/admin@example\.com/g)).toHaveLength(1)
  site.pass(SETTLED_MS)
  await site.accounts.purge()
  expect(await everything()).not.toContain(MEMBER)
})

test('an erasure reads a log of large changes without holding the event loop', async () => {
  const browser = await site.joined(owner, 'admin')
  const { id } = (await browser.get('/app/api/v1/session')).body.user
  const actor = { type: 'user', id, name: MEMBER, requestId: null } as const
  const target = { type: 'link', id: 'lnk_1', label: 'one' } as const
  const rules = Array.from({ length: 800 }, (_, i) => ({ id: `r${i}`, when: { country: ['DE'] } }))
  const fields = { before: { rules }, after: { rules: [...rules].reverse() } }
  await site.storage.write(async (tx) => {
    for (let i = 0; i < 1_500; i++) {
      const about = { workspaceNo: 1, at: Date.now(), action: 'link.updated', target } as const
      await recordChange(tx, actor, { ...about, ...fields })
    }
  })
  await remove(browser, MEMBER)
  const watch = createLoopWatch()
  await site.accounts.purge()
  // The timer of the watch has its turn.
  await Bun.sleep(5)
  expect(watch.stop()).toBeLessThan(250)
}, 60_000)
