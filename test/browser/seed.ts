import type { BrowserContext } from 'playwright-core'
import type { Dashboard } from './harness.ts'
import { ask } from './people.ts'

/** The user agent of a person: bots are counted separately. */
export const AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36'

/** The data of a workspace whose pages are tested. */
export interface Seeded {
  workspace: string
  /** Another one, without data. */
  empty: string
  linkId: string
  /** A link with conditions of every kind, and a split. */
  ruledId: string
  /** The token of an open invitation. */
  invitation: string
}

const VARIANTS = [
  { name: 'Old page', destination_url: 'https://example.com/old', weight: 80 },
  { destination_url: 'https://example.com/a/rather/long/address/of/the/new/page', weight: 20 },
]
/** The last one never matches: a warning. */
const RULES = [
  {
    name: 'A rule with a name that is rather long, for the telephones of the office',
    when: {
      ...{ country: ['DE', 'AT'], not_language: ['en'], region: ['DE-BE'], device: ['mobile'] },
      ...{ os: [{ name: 'iOS', min: '17' }], browser: ['Safari'], network: ['192.0.2.0/24'] },
      ...{
        query: { plan: ['pro', 'a, b'], ref: ['*'], old: [] },
        referrer_host: ['*.example.com'],
      },
      time: {
        ...{ timezone: 'Europe/Berlin', from: '2026-03-01', until: '2099-12-24T17:00:00Z' },
        ...{ days: ['mon', 'fri'], hours: [['09:00', '17:30']] },
      },
    },
    then: { variants: VARIANTS },
  },
  { when: { agent: 'bot' }, then: { answer: 'not_found' } },
  { name: 'Never', when: { agent: 'bot' }, then: { destination_url: 'https://example.com/bots' } },
]

/** Links in all states, clicks from several places, keys, invitations: no page is empty. */
export async function seed(
  dashboard: Dashboard,
  context: BrowserContext,
  workspace: string,
): Promise<Seeded> {
  const make = async <T>(path: string, body: unknown) => {
    const answer = await ask<T>(dashboard, context, 'POST', path, { workspace, body })
    if (answer.status !== 201) throw new Error(`${path}: ${JSON.stringify(answer)}`)
    return answer.body
  }
  await dashboard.slugline.cli('workspaces', 'set-plan', 'Acme', 'pro')
  const { id: ruledId } = await make<{ id: string }>('/links', {
    ...{ destination_url: 'https://example.org/', slug: 'winter', enabled: false },
    ...{ rules: RULES, variants: VARIANTS },
  })
  await make('/links', {
    destination_url: 'https://example.org/campaigns/autumn/landing-page?utm_source=newsletter',
    slug: 'a-rather-long-short-address-for-the-autumn-campaign-of-this-year',
    title: 'A title that is longer than any column of the table could ever be, on any screen',
    tags: ['newsletter', 'autumn', 'social', 'a-tag-with-quite-a-long-name'],
    expires_at: '2099-05-03T12:00:00Z',
    max_clicks: 1_000_000,
  })
  const link = await make<{ id: string }>('/links', {
    destination_url: 'https://example.com/a/rather/long/address?with=parameters',
    slug: 'summer',
    title: 'Summer sale',
    tags: ['newsletter', 'summer'],
    notes: 'Printed on the posters.',
  })
  await ask(dashboard, context, 'PATCH', `/links/${link.id}`, {
    workspace,
    body: { title: 'Summer sale, second week', redirect_status: 307 },
  })
  const shared = { name: 'For the press', password: 'over the hills', expires_at: null }
  await make('/shares', { subject: { link_id: link.id }, ...shared })
  const until = { expires_at: '2099-05-03T12:00:00Z' }
  await make('/shares', { subject: { tag: 'newsletter' }, ...until })
  await make('/keys', { name: 'website', scopes: ['links:read', 'links:write'] })
  const old = await make<{ id: string }>('/keys', {
    name: 'A key with a name that is rather long, for the importer of the warehouse',
    scopes: ['links:read'],
    expires_at: '2099-01-01T00:00:00Z',
  })
  await ask(dashboard, context, 'DELETE', `/keys/${old.id}`, { workspace })
  const { url } = await make<{ url: string }>('/invitations', {
    email: 'grace@example.com',
    role: 'viewer',
  })
  const empty = await make<{ id: string }>('/workspaces', { name: 'Empty' })
  await dashboard.slugline.cli('workspaces', 'set-plan', 'Empty', 'pro')
  for (const [agent, referer] of [
    [AGENT, 'https://news.example.com/today'],
    [AGENT, ''],
    ['curl/8.5.0', ''],
  ] as const) {
    await fetch(`${dashboard.slugline.url}/summer?utm_source=newsletter`, {
      redirect: 'manual',
      headers: { 'user-agent': agent, ...(referer === '' ? {} : { referer }) },
    })
  }
  const invitation = new URL(url).hash.slice('#token='.length)
  return { workspace, empty: empty.id, linkId: link.id, ruledId, invitation }
}
