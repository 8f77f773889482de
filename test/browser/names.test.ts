import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { CHROMIUM } from './chromium.ts'
import { type Dashboard, startDashboard, type Visitor } from './harness.ts'
import { ask, claim, OWNER } from './people.ts'

describe.skipIf(CHROMIUM === null)('people go by their name (needs Chromium)', () => {
  let dashboard: Dashboard
  let owner: Visitor
  let workspace: string

  beforeAll(async () => {
    dashboard = await startDashboard()
    owner = await dashboard.open()
    workspace = await claim(dashboard, owner.context)
  }, 300_000)
  afterAll(async () => await dashboard?.dispose())

  const made = async (path: string, body: object) => {
    const answer = await ask<{ id: string }>(dashboard, owner.context, 'POST', path, {
      workspace,
      body,
    })
    expect(answer.status).toBe(201)
    return answer.body.id
  }

  /** The text of a page; the address of its person is only shown on hover. */
  const expectNames = async (path: string) => {
    const { page } = owner
    await page.goto(path)
    const named = page.locator('main [title]').filter({ hasText: OWNER.name, visible: true })
    expect(await named.first().getAttribute('title')).toBe(OWNER.email)
    expect(await page.locator('main').innerText()).not.toContain(OWNER.email)
  }

  test('in the history of a link', async () => {
    const id = await made('/links', { destination_url: 'https://example.com/a', slug: 'named' })
    await expectNames(`/app/links/${id}`)
  })

  test('in the list of keys', async () => {
    await made('/keys', { name: 'partner', scopes: ['links:read'] })
    await expectNames('/app/keys')
  })

  test('in the list of invitations', async () => {
    await made('/invitations', { email: 'new@example.com', role: 'member' })
    const { page } = owner
    await page.goto('/app/members')
    const invitation = page.getByRole('listitem').filter({ hasText: 'new@example.com' })
    await invitation.filter({ hasText: OWNER.name }).waitFor()
    expect(await invitation.innerText()).not.toContain(OWNER.email)
  })
})
