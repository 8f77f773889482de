/** What people do every day, counted: how many clicks and keys it takes from the list of links. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { eventually } from '../harness/eventually.ts'
import { CHROMIUM } from './chromium.ts'
import { type Dashboard, startDashboard, type Visitor } from './harness.ts'
import { ask, claim } from './people.ts'
import { AGENT } from './seed.ts'
import { en, type Word } from './words.ts'

/** The most steps of each task. None may be over five, except that a domain may be six, and a rule seven. */
const MOST = {
  'create a link': 2,
  'edit its destination': 4,
  'see yesterday’s clicks of a link': 2,
  'share its statistics': 4,
  'take its QR code as PNG': 3,
  'tag twenty links': 5,
  'send iPhones elsewhere': 5,
  'make a key': 5,
  'invite a member': 5,
  'add a domain': 6,
  'import a file': 5,
  'undo a change': 3,
} as const
type Task = keyof typeof MOST

const TARGET = 'https://example.com/'
const DAY_MS = 86_400_000
const FILE = resolve(import.meta.dir, '../../src/features/imports/testing/dub.csv')

/** The browser's, whose types tests don't have. */
declare const IntersectionObserver: new (
  tell: (entries: [{ intersectionRatio: number }], observer: { disconnect(): void }) => void,
) => { observe(element: unknown): void }

/** Whether more than half of an element can be seen. */
const isInView = (target: Locator) =>
  target.evaluate(
    (element) =>
      new Promise<boolean>((seen) => {
        new IntersectionObserver(([entry], observer) => {
          observer.disconnect()
          seen(entry.intersectionRatio > 0.5)
        }).observe(element)
      }),
  )

/**
 * A person at a page. A click, a key or a combination of keys is a step, and so is scrolling to what
 * can't be seen. Typing isn't: the text is the same everywhere.
 */
function handsOf(page: Page) {
  let steps = 0
  return {
    get steps() {
      return steps
    },
    async click(target: Locator, modifiers: ('Shift' | 'ControlOrMeta')[] = []) {
      await target.waitFor()
      steps += (await isInView(target)) ? 1 : 2
      await target.click({ modifiers })
    },
    async press(key: string) {
      steps += 1
      await page.keyboard.press(key)
    },
    /** Types into a field that has the focus already: otherwise reaching it would be a step. */
    async type(field: Locator, text: string) {
      await field.and(page.locator(':focus')).waitFor()
      await page.keyboard.type(text)
    },
    /** The choice in the system's dialog. */
    choose() {
      steps += 1
    },
  }
}
type Hands = ReturnType<typeof handsOf>

describe.skipIf(CHROMIUM === null)('everyday tasks in clicks and keys (needs Chromium)', () => {
  let dashboard: Dashboard
  let visitor: Visitor
  let workspace: string
  let id: string

  beforeAll(async () => {
    dashboard = await startDashboard()
    visitor = await dashboard.open({ viewport: { width: 1440, height: 900 } })
    workspace = await claim(dashboard, visitor.context)
    await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await api('POST', '/links/bulk', {
      operations: Array.from({ length: 20 }, (_, n) => ({
        op: 'create',
        link: { destination_url: TARGET, slug: `poster-${n}` },
      })),
    })
    ;({ id } = await api('POST', '/links', { destination_url: TARGET, slug: 'summer' }))
    // Also builds the dashboard, on a machine that may be busy.
  }, 300_000)
  afterAll(async () => {
    await visitor?.close()
    await dashboard?.dispose()
  })

  const api = async <T = { id: string }>(method: string, path: string, body?: object): Promise<T> =>
    (await ask<T>(dashboard, visitor.context, method, path, { workspace, ...(body && { body }) }))
      .body
  /** Does something that copies; returns what. */
  const copied = async (act: () => Promise<void>) => {
    const read = () => visitor.page.evaluate<string>('navigator.clipboard.readText()')
    const before = await read()
    await act()
    return await eventually('it is copied', async () => {
      const text = await read()
      return text === before ? undefined : text
    })
  }
  const link = () =>
    api<{ destination_url: string; enabled: boolean; rules: object[] }>('GET', `/links/${id}`)
  /** How many of the links match a query. */
  const found = async (query: string) => {
    const { pagination } = await api<{ pagination: { total: number } }>('GET', `/links?${query}`)
    return pagination.total
  }

  const parts = (page: Page) => ({
    button: (name: Word, values = {}) =>
      page.getByRole('button', { name: en(name, values), exact: true }).first(),
    nav: (name: Word) =>
      page.getByRole('navigation').getByRole('link', { name: en(name), exact: true }),
    dialog: page.getByRole('dialog'),
    row: page.locator('[data-row]').filter({ hasText: 'summer' }),
  })
  type Parts = ReturnType<typeof parts>

  async function task(
    name: Task,
    act: (hands: Hands, at: Parts, page: Page) => Promise<void>,
    { page } = visitor,
  ) {
    await page.goto('/app/links')
    const at = parts(page)
    await at.row.waitFor()
    const hands = handsOf(page)
    await act(hands, at, page)
    expect({ name, steps: hands.steps }).toEqual({ name, steps: MOST[name] })
  }
  const fromMenu = async (hands: Hands, { row }: Parts, page: Page, item: Word) => {
    await hands.click(row.getByRole('button', { name: en('links.actionsFor', { name: '' }) }))
    // Its name can end with its key.
    const name = new RegExp(`^${en(item)}( ?\\S)?$`)
    await hands.click(page.getByRole('menuitem', { name }))
  }
  /** A field of the open dialog. */
  const field = ({ dialog }: Parts, name: Word) => dialog.getByLabel(en(name), { exact: true })

  test('no task is over its limit', () => {
    for (const [name, most] of Object.entries(MOST)) {
      const limit = { 'add a domain': 6, 'send iPhones elsewhere': 7 }[name] ?? 5
      expect({ name, isOver: most > limit }).toEqual({ name, isOver: false })
    }
    expect(Object.keys(MOST)).toHaveLength(12)
  })

  test('create a link', async () => {
    await task('create a link', async (hands, at) => {
      await hands.click(at.button('links.create'))
      await hands.type(field(at, 'links.field.destination'), `${TARGET}new`)
      await hands.press('Enter')
      await at.dialog.waitFor({ state: 'detached' })
    })
    expect(await found(`search=${encodeURIComponent('example.com/new')}`)).toBe(1)
  }, 120_000)

  test('edit its destination', async () => {
    await task('edit its destination', async (hands, at, page) => {
      await fromMenu(hands, at, page, 'links.edit')
      const destination = field(at, 'links.field.destination')
      await destination.and(page.locator(':focus')).waitFor()
      await hands.press('ControlOrMeta+a')
      await hands.type(destination, `${TARGET}edited`)
      await hands.press('Enter')
      await at.dialog.waitFor({ state: 'detached' })
    })
    expect((await link()).destination_url).toBe(`${TARGET}edited`)
  }, 120_000)

  test('see yesterday’s clicks of a link', async () => {
    for (let click = 0; click < 3; click++) {
      const headers = { 'user-agent': AGENT }
      await fetch(`${dashboard.url}/summer`, { redirect: 'manual', headers })
    }
    type Stats = { totals?: { clicks: number } }
    await eventually('the clicks are stored', async () => {
      const { totals } = await api<Stats>('GET', `/links/${id}/stats`)
      return totals?.clicks === 3 ? true : undefined
    })
    // A day later, for this person.
    const tomorrow = await dashboard.open({
      viewport: { width: 1440, height: 900 },
      storageState: await visitor.context.storageState(),
    })
    await tomorrow.page.clock.setFixedTime(Date.now() + DAY_MS)
    await task(
      'see yesterday’s clicks of a link',
      async (hands, at, page) => {
        await hands.click(at.row.locator('[data-row-link]'))
        await hands.click(at.button('statistics.range.yesterday'))
        const label = en('statistics.chart.title', { metric: en('statistics.clicks') })
        const title = en('common.labelled', { label, value: '3' })
        await page.getByRole('heading', { name: title, exact: true }).waitFor()
        expect(page.url()).toContain('range=yesterday')
      },
      tomorrow,
    )
    await tomorrow.close()
  }, 120_000)

  test('share its statistics', async () => {
    let url = ''
    await task('share its statistics', async (hands, at) => {
      await hands.click(at.row.locator('[data-row-link]'))
      await hands.click(at.button('shares.share'))
      await hands.click(at.dialog.getByRole('button', { name: en('shares.share'), exact: true }))
      url = await copied(() => hands.click(at.button('shares.copyLink')))
    })
    const { data } = await api<{ data: { url: string }[] }>('GET', '/shares')
    expect(data.map((share) => share.url)).toEqual([url])
  }, 120_000)

  test('take its QR code as PNG', async () => {
    await task('take its QR code as PNG', async (hands, at, page) => {
      await fromMenu(hands, at, page, 'links.qr.title')
      const download = page.waitForEvent('download')
      await hands.click(at.button('links.qr.download', { format: 'PNG' }))
      const path = await (await download).path()
      expect(readFileSync(path).subarray(1, 4).toString()).toBe('PNG')
    })
  }, 120_000)

  test('tag twenty links', async () => {
    await task('tag twenty links', async (hands, at, page) => {
      await hands.click(page.getByRole('searchbox'))
      await hands.type(page.getByRole('searchbox'), 'poster')
      await at.row.waitFor({ state: 'detached' })
      await hands.click(page.getByRole('checkbox', { name: en('links.selectAll') }))
      await hands.click(at.button('links.field.tags'))
      await hands.type(page.getByRole('combobox', { name: en('links.bulk.addTags') }), 'spring')
      await page.getByRole('option').filter({ hasText: 'spring' }).waitFor()
      await hands.press('Enter')
      await hands.click(page.getByRole('button', { name: /20/ }).last())
      await at.dialog.waitFor({ state: 'detached' })
    })
    await eventually('the links are tagged', async () =>
      (await found('tag=spring')) === 20 ? true : undefined,
    )
  }, 120_000)

  test('send iPhones elsewhere', async () => {
    await task('send iPhones elsewhere', async (hands, at, page) => {
      await fromMenu(hands, at, page, 'links.edit')
      const sections = at.dialog.locator('summary')
      await hands.click(sections.filter({ hasText: en('links.field.rules') }).first())
      const preset = { label: en('rules.add'), value: 'iPhone and iPad' }
      await hands.click(at.button('common.labelled', preset))
      const rule = at.dialog.locator('[data-rule]')
      const destination = rule.getByLabel(en('links.field.destination'), { exact: true })
      await hands.type(destination, 'https://apps.apple.com/app/id1')
      await hands.press('Enter')
      await at.dialog.waitFor({ state: 'detached' })
    })
    expect((await link()).rules).toMatchObject([
      {
        when: { os: ['iOS', 'iPadOS'] },
        then: { destination_url: 'https://apps.apple.com/app/id1' },
      },
    ])
  }, 120_000)

  test('make a key', async () => {
    let key = ''
    await task('make a key', async (hands, at) => {
      await hands.click(at.nav('shell.keys'))
      await hands.click(at.button('keys.create'))
      await hands.type(field(at, 'keys.name'), 'website')
      await hands.press('Enter')
      key = await copied(() => hands.click(at.button('keys.made.copy')))
      await hands.click(at.button('keys.made.close'))
      await at.dialog.waitFor({ state: 'detached' })
    })
    const headers = { authorization: `Bearer ${key}` }
    expect((await fetch(`${dashboard.url}/api/v1/links`, { headers })).status).toBe(200)
  }, 120_000)

  test('invite a member', async () => {
    let url = ''
    await task('invite a member', async (hands, at) => {
      await hands.click(at.nav('shell.members'))
      await hands.click(at.button('members.invite'))
      await hands.type(field(at, 'members.emails'), 'grace@example.com')
      await hands.press('Enter')
      const copy = at.dialog.getByRole('button', { name: en('common.copy'), exact: true })
      url = await copied(() => hands.click(copy))
      await hands.click(at.button('members.done'))
      await at.dialog.waitFor({ state: 'detached' })
    })
    const { data } = await api<{ data: { email: string }[] }>('GET', '/invitations')
    expect(data.map(({ email }) => email)).toEqual(['grace@example.com'])
    expect(url).toContain('/app/invitation#token=')
  }, 120_000)

  test('add a domain', async () => {
    const { page } = visitor
    // An instance at a local address has no record to point at.
    await page.route('**/domains/*/setup', async (route) => {
      const response = await route.fetch()
      const setup = await response.json()
      const expected = [{ type: 'CNAME', value: 'links.example.net' }]
      await route.fulfill({ response, json: { ...setup, dns: { ...setup.dns, expected } } })
    })
    const texts: string[] = []
    await task('add a domain', async (hands, at) => {
      await hands.click(at.nav('usage.domains'))
      await hands.click(at.button('domains.add'))
      await hands.type(field(at, 'domains.host'), 'go.example.com')
      await hands.press('Enter')
      // The name and the value of the record that proves it, and where to point it.
      for (const text of ['_slugline', /^slugline-/, 'links.example.net']) {
        const block = page.locator('dd').filter({ has: page.locator('pre').getByText(text) })
        const copy = block.getByRole('button', { name: en('common.copy'), exact: true })
        texts.push(await copied(() => hands.click(copy)))
      }
    })
    type Domain = { host: string; verification: { name: string; value: string } }
    const { data } = await api<{ data: Domain[] }>('GET', '/domains')
    const domain = data.find(({ host }) => host === 'go.example.com') as Domain
    const { name, value } = domain.verification
    expect(texts).toEqual([name, value, 'links.example.net'])
  }, 120_000)

  test('import a file', async () => {
    await task('import a file', async (hands, at, page) => {
      await hands.click(page.getByRole('link', { name: en('imports.link'), exact: true }))
      const asked = page.waitForEvent('filechooser')
      await hands.click(at.button('imports.choose'))
      hands.choose()
      await (await asked).setFiles(FILE)
      await hands.click(at.button('imports.check'))
      await hands.click(at.button('imports.start'))
      await at.button('imports.undo').waitFor()
    })
    expect(await found(`search=${encodeURIComponent('app.example/launch')}`)).toBe(1)
  }, 120_000)

  test('undo a change', async () => {
    await task('undo a change', async (hands, at, page) => {
      await fromMenu(hands, at, page, 'links.disable')
      await eventually('it is disabled', async () => ((await link()).enabled ? undefined : true))
      await hands.click(at.button('common.undo'))
      await eventually('it is enabled', async () => ((await link()).enabled ? true : undefined))
    })
  }, 120_000)

  test('there were no faults during these tasks', () => {
    expect(visitor.faults).toEqual([])
  })
})
