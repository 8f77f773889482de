import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { CHROMIUM } from './chromium.ts'
import {
  type Dashboard,
  go,
  PICTURES,
  screenshot,
  startDashboard,
  type Visitor,
} from './harness.ts'
import { ask, claim } from './people.ts'
import { AGENT } from './seed.ts'

/** Texts that would run a script if they were treated as markup, as a script, or as a URL. */
const MARKUP = [
  `<img src=x onerror="__fault('img')">`,
  `<script>__fault('script')</script>`,
  `"><svg onload="__fault('svg')">`,
  `'-__fault('quote')-'`,
  '{{constructor.constructor("__fault(1)")()}}',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a template of others
  '${__fault(`template`)}',
]
const ADDRESSES = [
  'javascript:__fault("address")',
  'data:text/html,<script>__fault("data")</script>',
  'JaVaScRiPt:__fault(1)',
  ' javascript:__fault(1)',
]

describe.skipIf(CHROMIUM === null)('scripts in user input (needs Chromium)', () => {
  let dashboard: Dashboard
  let visitor: Visitor
  let workspace: string
  const links: { id: string; slug: string }[] = []

  beforeAll(async () => {
    dashboard = await startDashboard()
    visitor = await dashboard.open()
    workspace = await claim(dashboard, visitor.context, `Acme ${MARKUP[0]}`)
    // Also builds the dashboard, on a machine that may be busy.
  }, 300_000)
  afterAll(async () => await dashboard?.dispose())

  const post = (path: string, body: unknown) =>
    ask<{ id: string; slug: string }>(dashboard, visitor.context, 'POST', path, { workspace, body })

  test('script URLs are refused as destinations', async () => {
    for (const destination of ADDRESSES) {
      const { status } = await post('/links', { destination_url: destination })
      expect(`${destination} ${status}`).toBe(`${destination} 422`)
      const fallback = { destination_url: 'https://example.com/', fallback_url: destination }
      expect((await post('/links', fallback)).status).toBe(422)
    }
  })

  test('a slug that is markup is refused', async () => {
    for (const slug of MARKUP) {
      const body = { destination_url: 'https://example.com/', slug }
      expect((await post('/links', body)).status).toBe(422)
    }
  })

  test('stored markup is shown as text on every page', async () => {
    const { page, context, faults, settled } = visitor
    const before = faults.length
    for (const [at, text] of MARKUP.entries()) {
      const made = await post('/links', {
        destination_url: `https://example.com/${encodeURIComponent(text)}?q=${text}#${text}`,
        title: text,
        notes: text,
        tags: [text.slice(0, 50)],
        external_id: text,
        fallback_url: `https://example.com/?q=${text}`,
      })
      expect(made.status).toBe(201)
      links.push(made.body)
      await post('/keys', { name: text, scopes: ['links:read'] })
      // Data sent by visitors: agent, referrer, campaign.
      const names = ['source', 'medium', 'campaign', 'term', 'content']
      const query = new URLSearchParams(
        names.map((name): [string, string] => [`utm_${name}`, text]),
      )
      await fetch(`${dashboard.slugline.url}/${made.body.slug}?${query}`, {
        redirect: 'manual',
        headers: {
          'user-agent': at % 2 === 0 ? text : `${AGENT} ${text}`,
          referer: `https://example.org/${text}`,
          'accept-language': text,
        },
      })
    }
    await ask(dashboard, context, 'PATCH', '/account', {
      body: { name: MARKUP[1], language: 'en' },
    })
    // An address that is valid by RFC 5321.
    const email = `"<img src=x onerror=__fault('mail')>"@example.com`
    await post('/invitations', { email, role: 'viewer' })
    const [first] = links

    const shown: string[] = []
    for (const path of [
      'links',
      ...links.map(({ id }) => `links/${id}`),
      `links?edit=${first?.id}`,
      `links/${first?.id}/statistics?range=today&bots=include`,
      'statistics?range=today&bots=include&view=table',
      'keys',
      'members',
      'audit',
      'usage',
      'settings',
      'account',
      'instance',
    ]) {
      // Pages of links follow each other: loaded, or the one before might be read.
      await (path.startsWith('links') ? page.goto(`/app/${path}`) : go(page, path))
      // Of the page, or of the dialog above it.
      await page.getByRole('heading').first().waitFor()
      await settled()
      for (const details of await page.locator('main details > summary').all())
        await details.click()
      // From the last one: a tab of the whole page, which comes first, may take those below it away.
      for (const tab of (await page.getByRole('tab').all()).reverse()) {
        await tab.click()
        await settled()
        shown.push(await page.locator('body').innerText())
      }
      shown.push(await page.locator('body').innerText())
      expect(await scriptAddresses(page)).toEqual([])
      if (PICTURES) {
        await screenshot(page, `script-${path.replaceAll(/[^\w-]+/g, '-').slice(0, 40)}`)
      }
    }
    // All texts were shown: this isn't a test of empty pages.
    const all = shown.join('\n')
    for (const text of MARKUP) expect(all).toContain(text)
    expect(all).toContain(`Acme ${MARKUP[0]}`)
    expect(faults.slice(before)).toEqual([])
  }, 600_000)

  test('the public pages of a link show markup as text', async () => {
    const { page, faults } = visitor
    const before = faults.length
    for (const [at, { slug }] of links.entries()) {
      await page.goto(`/${slug}+`)
      expect(await page.locator('body').innerText()).toContain('example.com/')
      expect(await scriptAddresses(page)).toEqual([])
      const missing = encodeURIComponent(MARKUP[at] ?? '')
      const answer = await page.goto(`/${missing}?lang=${missing}`)
      expect(answer?.status()).toBe(404)
    }
    // The policy of a page without scripts allows none.
    expect(faults.slice(before)).toEqual([])
  })

  test('content of the URL is not run', async () => {
    const { page, faults, settled } = visitor
    const before = faults.length
    const signedOut = await dashboard.open()
    for (const text of [MARKUP.join(''), ...ADDRESSES.slice(0, 2)]) {
      const value = encodeURIComponent(text)
      for (const path of [
        `links?q=${value}&tag=${value}&w=${value}&status=${value}&cursor=${value}`,
        `links/${value}`,
        `statistics?filter=country:${value}&filter=-${value}&zone=${value}&from=${value}`,
        `audit?action=${value}&actor=${value}&target=${value}&after=${value}`,
        `instance?search=${value}`,
        `${value}?${value}#${value}`,
      ]) {
        await page.goto(`/app/${path}`)
        await page.getByRole('heading').or(page.getByRole('alert')).first().waitFor()
        await settled()
        expect(await scriptAddresses(page)).toEqual([])
      }
      for (const path of [
        `sign-in?next=${value}&error=${value}`,
        `invitation#token=${value}`,
        `reset-password#token=${value}`,
        `claim#token=${value}`,
      ]) {
        await signedOut.page.goto(`/app/${path}`)
        await signedOut.page.getByRole('heading', { level: 1 }).waitFor()
        await signedOut.settled()
        expect(await scriptAddresses(signedOut.page)).toEqual([])
      }
    }
    expect([...faults.slice(before), ...signedOut.faults]).toEqual([])
    await signedOut.close()
  }, 600_000)
})

/** Links and forms of a page with script or data URLs, without the bookmarklet. */
async function scriptAddresses(page: Page): Promise<unknown> {
  return await page.evaluate(`
    [...document.querySelectorAll('a, area, form, iframe, [formaction]')]
      .map((one) => one.href || one.action || one.src || one.formAction)
      .filter((address) => /^\\s*(?:javascript|data|vbscript):/i.test(address))
      .filter((address) =>
        !address.startsWith('javascript:void open("' + location.origin + '/app/links/new"'))
  `)
}
