import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator } from 'playwright-core'
import { eventually } from '../harness/eventually.ts'
import { violations } from './axe.ts'
import { CHROMIUM } from './chromium.ts'
import { type Dashboard, OUTPUT, startDashboard, type Visitor } from './harness.ts'
import { keyboardOf } from './keyboard.ts'
import { ask, claim } from './people.ts'
import { seed } from './seed.ts'
import { en } from './words.ts'

const VARIANTS = ['Old page', 'New page'].map((name, i) => ({
  ...{ id: `v${i}`, name, weight: 50, destination_url: `https://example.com/${i}` },
}))
const RULES = [
  {
    ...{ id: 'near', name: 'Neighbours', when: { country: ['DE', 'AT'] } },
    then: { destination_url: 'https://example.com/near' },
  },
]

type Word = Parameters<typeof en>[0]
type Detail = { field: string; message: string }
type Part = { id: string; name?: string; when?: object } & Record<string, unknown>
type Made = { id: string; slug: string; rules: Part[]; variants: Part[] }

describe.skipIf(CHROMIUM === null)('a link with rules or variants (needs Chromium)', () => {
  let dashboard: Dashboard
  let owner: Visitor
  let id = ''
  let workspace = ''

  beforeAll(async () => {
    dashboard = await startDashboard()
    owner = await dashboard.open()
    const { context } = owner
    ;({ workspace } = await seed(dashboard, context, await claim(dashboard, context)))
    const { body } = await ask<Made>(dashboard, context, 'POST', '/links', {
      workspace,
      body: {
        ...{ destination_url: 'https://example.com/', slug: 'split' },
        ...{ variants: VARIANTS, rules: RULES },
      },
    })
    id = body.id
    const agent = (n: number) =>
      `Mozilla/5.0 (X11; Linux x86_64; rv:${n}.0) Gecko/20100101 Firefox/${n}.0`
    for (let n = 100; n < 130; n++) {
      const headers = { 'user-agent': agent(n) }
      await fetch(`${dashboard.url}/split`, { headers, redirect: 'manual' })
    }
    await eventually('the clicks are stored', async () => {
      type Answer = { totals: { clicks: number } }
      const path = `/links/${id}/stats`
      const answer = await ask<Answer>(dashboard, context, 'GET', path, { workspace })
      return answer.body.totals?.clicks === 30 ? true : undefined
    })
  }, 300_000)
  afterAll(async () => await dashboard?.dispose())

  test('are named in its statistics', async () => {
    const { page } = owner
    await page.goto(`/app/links/${id}/statistics`)
    await page.getByRole('heading', { name: en('statistics.group.rules') }).waitFor()
    for (const { name } of VARIANTS) {
      await page.getByRole('row', { name }).getByText('–').waitFor()
      await page.getByRole('button', { name, exact: false }).first().waitFor()
    }
    // Thirty visitors are too few for a comparison of two variants.
    await page.getByText(en('statistics.split.few', { least: '100' })).waitFor()
    await owner.settled()
    expect(owner.failures).toEqual([])
    mkdirSync(OUTPUT, { recursive: true })
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 })
      await page.screenshot({ path: join(OUTPUT, `rules-${width}.png`), fullPage: true })
    }
    await page.setViewportSize({ width: 1280, height: 900 })
    expect(await violations(page)).toEqual([])
  })

  test('shows where a described visitor would be redirected, and why', async () => {
    const { page } = owner
    await page.goto(`/app/links/${id}`)
    await owner.settled()
    await page.keyboard.press('Control+k')
    await page.getByRole('option', { name: en('links.explain.open') }).click()
    const dialog = page.getByRole('dialog')
    const country = (name: string) => pick(dialog, 'statistics.dimension.country', name)
    const address = dialog.getByLabel(en('links.explain.ip'), { exact: true })
    const send = () => dialog.getByRole('button', { name: en('links.explain.ask') }).click()
    await address.fill('nowhere')
    await send()
    await dialog.locator('[aria-invalid=true]').waitFor()
    await address.fill('')
    await country('Germany')
    await send()
    await dialog.getByText('https://example.com/near', { exact: true }).waitFor()
    await dialog.getByText(`${en('statistics.dimension.rule')}: Neighbours`).waitFor()
    expect(await dialog.getByText(en('links.explain.failed')).count()).toBe(0)
    expect(await violations(page)).toEqual([])
    await country('United States')
    await send()
    await dialog.getByText(en('links.explain.failed')).waitFor()
    await dialog.getByText(new RegExp(`^${en('statistics.dimension.variant')}: `)).waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).toBe('')
    const path = `/links/${id}/stats`
    type Answer = { totals: { clicks: number } }
    const { body } = await ask<Answer>(dashboard, owner.context, 'GET', path, { workspace })
    expect(body.totals.clicks).toBe(30)
    expect(owner.faults).toEqual([])
  })

  const panel = () => owner.page.getByRole('dialog').filter({ has: owner.page.locator('form') })
  const rule = (at: number) => panel().locator('[data-rule]').nth(at)
  const named = (within: Locator, word: Word) =>
    within.getByRole('button', { name: en(word), exact: true })
  const field = (within: Locator, word: Word, at = 0) =>
    within.getByLabel(en(word), { exact: true }).nth(at)
  const typed = (within: Locator, word: Word) =>
    within.getByRole('textbox', { name: en(word), exact: true })
  const section = (word: Word) =>
    panel()
      .locator('summary')
      .filter({ hasText: en(word) })
      .first()
  const pick = async (within: Locator, list: Word, option: string) => {
    await within.getByRole('combobox', { name: en(list), exact: true }).click()
    await owner.page.getByRole('combobox', { name: en('common.search') }).fill(option)
    await owner.page.getByRole('option', { name: option, exact: true }).click()
  }
  const outcome = async (within: Locator, option: Word) => {
    await field(within, 'rules.then').click()
    await owner.page.getByRole('option', { name: en(option), exact: true }).click()
  }
  const create = async (slug: string) => {
    await owner.page.goto('/app/links?create=true')
    await field(panel(), 'links.field.destination').fill('https://example.com/rest')
    await field(panel(), 'links.field.slug').fill(slug)
    await section('links.field.rules').click()
  }
  const send = (word: Word = 'links.create') => named(panel(), word).click()
  const linkOf = async (slug: string) => {
    const { page, context } = owner
    await panel().waitFor({ state: 'detached' })
    await page.locator('[data-row]').filter({ hasText: slug }).first().waitFor()
    type List = { data: Made[] }
    const path = `/links?search=${slug}`
    const { body } = await ask<List>(dashboard, context, 'GET', path, { workspace })
    return body.data.find((link) => link.slug === slug) as Made
  }

  test('a rule built in the form is stored as such', async () => {
    const { page } = owner
    await page.setViewportSize({ width: 1280, height: 900 })
    await create('built')
    for (const value of ['iPhone and iPad', 'Android']) {
      const name = en('common.labelled', { label: en('rules.add'), value })
      await panel().getByRole('button', { name, exact: true }).click()
    }
    await field(rule(0), 'links.field.destination').fill('https://apps.apple.com/app/id1')
    await field(rule(1), 'links.field.destination').fill('play.google.com/store/apps/details?id=a')
    await field(rule(0), 'rules.minVersion')
      .or(rule(0).getByLabel(/^iOS: /))
      .first()
      .fill('17')

    await named(panel(), 'rules.add').click()
    const third = rule(2)
    await field(third, 'rules.name').fill('Office')
    await pick(third, 'rules.addCondition', en('statistics.dimension.country'))
    // Its list opens by itself.
    await page.getByRole('option', { name: 'Germany', exact: true }).click()
    await pick(third, 'rules.addCountry', 'Austria')
    await third
      .getByRole('combobox', { name: en('statistics.dimension.country'), exact: true })
      .click()
    await page.getByRole('option', { name: en('rules.isNot'), exact: true }).click()
    await pick(third, 'rules.addCondition', en('rules.member.query'))
    await field(third, 'rules.query.name').fill('plan')
    await field(third, 'rules.query.list').fill('a, b')
    await page.keyboard.press('Enter')
    await pick(third, 'rules.addCondition', en('rules.member.network'))
    await typed(third, 'rules.member.network').fill('192.0.2.0/24')
    await pick(third, 'rules.addCondition', en('rules.member.agent'))
    await third.getByRole('button', { name: en('rules.agent.human'), exact: true }).click()
    await pick(third, 'rules.addCondition', en('rules.member.time'))
    await pick(third, 'statistics.timeZone', 'America/New York')
    await field(third, 'rules.time.fromDay').fill('2030-01-01')
    await field(third, 'rules.time.untilDay').fill('2030-02-01')
    await field(third, 'rules.time.untilTime').fill('09:30')
    await third.getByRole('button', { name: 'Mon', exact: true }).click()
    await named(third, 'rules.time.addHours').click()
    await outcome(third, 'rules.answer.not_found')

    await section('rules.split').click()
    await named(panel(), 'rules.split.start').click()
    await named(panel(), 'rules.variant.add').click()
    const split = panel()
      .locator('fieldset')
      .filter({ has: page.getByLabel(en('rules.name')) })
    for (const [at, url] of ['a', 'b', 'c'].entries()) {
      await field(split.nth(at), 'links.field.destination').fill(`https://example.com/${url}`)
      // Its label includes the share.
      const weight = split.nth(at).getByLabel(en('rules.variant.weight'))
      await weight.fill(String([60, 30, 10][at]))
    }
    expect(await panel().locator('output').allTextContents()).toEqual(['60%', '30%', '10%'])
    await send()

    const { rules, variants } = await linkOf('built')
    expect(rules.map(({ id: _, ...rest }) => rest)).toEqual([
      {
        name: 'iPhone and iPad',
        when: { os: [{ name: 'iOS', min: '17' }, 'iPadOS'] },
        then: { destination_url: 'https://apps.apple.com/app/id1' },
      },
      {
        name: 'Android',
        when: { os: ['Android'] },
        then: { destination_url: 'https://play.google.com/store/apps/details?id=a' },
      },
      {
        name: 'Office',
        when: {
          not_country: ['DE', 'AT'],
          query: { plan: ['a, b'] },
          network: ['192.0.2.0/24'],
          agent: ['human'],
          time: {
            timezone: 'America/New_York',
            from: '2030-01-01',
            until: '2030-02-01T14:30:00.000Z',
            days: ['mon'],
            hours: [['09:00', '17:00']],
          },
        },
        then: { answer: 'not_found' },
      },
    ])
    expect(variants.map(({ id: _, ...rest }) => rest)).toEqual([
      { destination_url: 'https://example.com/a', weight: 60 },
      { destination_url: 'https://example.com/b', weight: 30 },
      { destination_url: 'https://example.com/c', weight: 10 },
    ])
  }, 120_000)

  test('faults are shown at their rule, also if collapsed; warnings are kept', async () => {
    const { page } = owner
    await create('faulty')
    await named(panel(), 'rules.add').click()
    await pick(rule(0), 'rules.addCondition', en('rules.member.network'))
    await typed(rule(0), 'rules.member.network').fill('10.0.0.0/33')
    await field(rule(0), 'links.field.destination').fill('https://example.com/1')
    await named(panel(), 'rules.add').click()
    await field(rule(1), 'rules.name').fill('Second')
    await field(rule(1), 'links.field.destination').fill('https://example.com/2')
    const head = (at: number) => rule(at).locator('button').first()
    await head(0).click()
    const answered = page.waitForResponse((response) => response.status() === 422)
    await send()
    const { error } = (await (await answered).json()) as { error: { details: Detail[] } }
    expect(error.details.map((each) => each.field)).toEqual(['rules[0].when.network[0]'])
    await rule(0)
      .getByText(error.details[0]?.message ?? '')
      .waitFor()
    expect(await head(0).getAttribute('aria-expanded')).toBe('true')
    await typed(rule(0), 'rules.member.network')
      .and(page.locator('[aria-invalid=true]:focus'))
      .waitFor()
    // A moved rule keeps its fault.
    await head(0).press('Alt+ArrowDown')
    await rule(1)
      .getByText(error.details[0]?.message ?? '')
      .waitFor()
    await head(1).press('Alt+ArrowUp')
    expect(await rule(0).getByText(en('rules.hasFault')).count()).toBe(1)

    await typed(rule(0), 'rules.member.network').press('Backspace')
    await typed(rule(0), 'rules.member.network').fill('10.0.0.0/8')
    // A rule for everyone before one for a network: the second never matches.
    await head(1).press('Alt+ArrowUp')
    const written = page.waitForResponse((response) => response.status() === 201)
    await send()
    const made = (await (await written).json()) as Made & { warnings: Detail[] }
    expect(made.warnings.map((each) => each.field)).toEqual(['rules[1]'])
    const said = made.warnings[0]?.message.replace('rules[0]', '“Second”') as string
    await page.getByText(said).first().waitFor()
    await page.goto('/app/links')
    await page.locator('[data-row]').filter({ hasText: 'faulty' }).getByRole('link').first().click()
    await page.getByRole('heading', { name: /faulty/ }).waitFor()
    // A reloaded page only knows warnings of writes since then.
    await page.keyboard.press('e')
    await field(panel(), 'links.field.title').waitFor({ state: 'attached' })
    await section('links.field.rules').click()
    await head(0).click()
    await field(rule(0), 'rules.name').fill('First')
    await send('common.save')
    await panel().waitFor({ state: 'detached' })
    await page.locator('main').getByText(said.replace('Second', 'First')).waitFor()
    await page.keyboard.press('e')
    await rule(1).getByText(said.replace('Second', 'First')).waitFor()
    await named(panel(), 'common.cancel').click()
  }, 120_000)

  test('rules can be built by keyboard, too', async () => {
    const { page } = owner
    const hands = keyboardOf(page)
    await page.goto('/app/links?create=true')
    await hands.focused(field(panel(), 'links.field.destination'))
    await hands.type('https://example.com/keys')
    await hands.tabTo(field(panel(), 'links.field.slug'))
    await hands.type('by-keys')
    await hands.tabTo(
      panel()
        .locator('summary')
        .filter({ hasText: en('links.field.rules') }),
    )
    await hands.press('Enter')
    for (const [name, country] of [
      ['One', 'Germany'],
      ['Two', 'Italy'],
    ] as const) {
      await hands.tabTo(named(panel(), 'rules.add'))
      await hands.press('Enter')
      await hands.focused(field(panel().locator('[data-rule]').last(), 'rules.name'))
      await hands.type(name)
      const own = panel().locator('[data-rule]').last()
      const list = (word: Word) => own.getByRole('combobox', { name: en(word), exact: true })
      await hands.tabTo(list('rules.addCondition'))
      await hands.press('Enter')
      // The list of countries opens when the condition has been chosen.
      for (const text of [en('statistics.dimension.country'), country]) {
        await hands.focused(page.getByRole('combobox', { name: en('common.search') }))
        await hands.type(text)
        await page.getByRole('option', { name: text, exact: true }).waitFor()
        await hands.press('Enter')
      }
      await hands.focused(list('rules.addCountry'))
      await hands.tabTo(field(own, 'links.field.destination'))
      await hands.type(`https://example.com/${name}`)
    }
    const head = rule(1).locator('button').first()
    await hands.tabTo(head, 'back')
    await hands.press('Alt+ArrowUp')
    await hands.focused(rule(0).locator('button').first())
    await hands.tabTo(field(rule(0), 'links.field.destination'))
    await hands.press('Enter')
    const { rules } = await linkOf('by-keys')
    expect(rules.map(({ name, when }) => [name, when])).toEqual([
      ['Two', { country: ['IT'] }],
      ['One', { country: ['DE'] }],
    ])
    expect(hands.unseen).toEqual([])
    expect(owner.faults).toEqual([])
  }, 120_000)
})
