import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser } from '../accounts/testing/browser.ts'
import { createSite, type TestSite } from '../accounts/testing/site.ts'

const BLOCKS = '/app/api/v1/instance/blocks'
const REPORTS = '/app/api/v1/instance/reports'
const LINKS = '/app/api/v1/links'

let site: TestSite
let owner: Browser
let tenant: Browser
beforeAll(async () => {
  site = await createSite()
  owner = await site.owner()
  await site.users.create({ email: 'eve@example.com', password: 'a password of ours' })
  tenant = site.browser()
  await tenant.signIn('eve@example.com', 'a password of ours')
  tenant.workspace = (await tenant.post('/app/api/v1/workspaces', { name: 'Theirs' })).body.id
})
afterAll(() => site.close())

test('the owner of the instance creates, lists and removes blocks, effective with the next request', async () => {
  const body = { destination_url: 'https://evil.example/' }
  const link = (await tenant.post(LINKS, body)).body
  expect(link).toMatchObject({ status: 'active', block: null })
  const block = { kind: 'destination_host', value: 'Evil.example', reason: 'Phishing' }
  const made = await owner.post(BLOCKS, block)
  expect([made.status, made.body]).toMatchObject([201, { ...block, value: 'evil.example' }])
  expect((await owner.post(BLOCKS, block)).code).toBe('ALREADY_BLOCKED')
  expect((await tenant.get(`${LINKS}/${link.id}`)).body).toMatchObject({
    status: 'blocked',
    block: { reason: 'Phishing' },
  })
  expect((await tenant.post(LINKS, body)).code).toBe('VALIDATION_FAILED')

  const appeal = `${LINKS}/${link.id}/appeal`
  // Another workspace's link is answered like one that doesn't exist.
  const foreign = await owner.post(appeal, { text: 'x' })
  const missing = await owner.post(`${LINKS}/lnk_nothing/appeal`, { text: 'x' })
  expect([foreign.status, foreign.code]).toEqual([missing.status, missing.code])
  expect((await tenant.post(appeal, { text: 'It is clean' })).status).toBe(204)
  expect((await tenant.post(appeal, { text: 'Really' })).code).toBe('APPEAL_REFUSED')
  const listed = (await owner.get(`${BLOCKS}?limit=1`)).body
  expect(listed).toMatchObject({
    data: [{ id: made.body.id, appeals: [{ link_id: link.id, text: 'It is clean' }] }],
    pagination: { limit: 1, has_more: false, next_cursor: null },
  })

  expect((await owner.send('DELETE', `${BLOCKS}/${made.body.id}`)).status).toBe(204)
  const gone = await owner.send('DELETE', `${BLOCKS}/${made.body.id}`)
  expect([gone.status, gone.code]).toEqual([404, 'BLOCK_NOT_FOUND'])
  expect((await tenant.get(`${LINKS}/${link.id}`)).body).toMatchObject({ status: 'active' })
})

test('the list is paginated', async () => {
  for (let i = 0; i < 3; i++) {
    const value = `h${i}.example`
    await owner.post(BLOCKS, { kind: 'destination_host', value, reason: 'x' })
  }
  const first = (await owner.get(`${BLOCKS}?limit=2`)).body
  const { next_cursor } = first.pagination
  const second = (await owner.get(`${BLOCKS}?limit=2&cursor=${next_cursor}`)).body
  const values = [...first.data, ...second.data].map(({ value }: { value: string }) => value)
  expect(values).toEqual(['h2.example', 'h1.example', 'h0.example'])
})

test('a workspace sees who blocks by name, without email address; the appeal is recorded', async () => {
  const link = (await tenant.post(LINKS, { destination_url: 'https://fine.example/' })).body
  const block = { kind: 'link', value: link.id, reason: 'Spam' }
  const made = (await owner.post(BLOCKS, block)).body
  await tenant.post(`${LINKS}/${link.id}/appeal`, { text: 'It is not' })
  const whole = { kind: 'workspace', value: tenant.workspace, reason: 'Spam' }
  const { id } = (await owner.post(BLOCKS, whole)).body
  await owner.send('DELETE', `${BLOCKS}/${id}`)
  await owner.send('PATCH', `/app/api/v1/instance/workspaces/${tenant.workspace}`, { plan: 'pro' })

  const audit = (await tenant.get('/app/api/v1/audit')).body
  const history = (await tenant.get(`${LINKS}/${link.id}/history`)).body
  const actorOf = ({ action, actor }: { action: string; actor: { name: string } }) => [
    action,
    actor.name,
  ]
  expect(audit.data.slice(0, 5).map(actorOf)).toEqual([
    ['workspace.plan_changed', 'Ann'],
    ['block.removed', 'Ann'],
    ['block.created', 'Ann'],
    ['block.appealed', 'eve@example.com'],
    ['link.blocked', 'Ann'],
  ])
  expect(audit.data[3]).toMatchObject({
    target: { type: 'block', id: made.id, label: link.slug },
    after: { link_id: link.id, text: 'It is not' },
  })
  expect(history.data.map(actorOf)).toEqual([
    ['link.blocked', 'Ann'],
    ['link.created', 'eve@example.com'],
  ])
  expect(JSON.stringify([audit, history])).not.toContain('Ann@example.com')
})

test('only the owner reads or changes blocks and reports', async () => {
  expect((await owner.get(REPORTS)).body.data).toEqual([])
  for (const [method, path, body] of [
    ['GET', BLOCKS, undefined],
    ['POST', BLOCKS, { kind: 'link', value: 'x', reason: 'x' }],
    ['DELETE', `${BLOCKS}/blk_x`, undefined],
    ['GET', REPORTS, undefined],
    ['DELETE', `${REPORTS}?address=x`, undefined],
  ] as const) {
    expect((await tenant.send(method, path, body)).code).toBe('FORBIDDEN')
  }
})
