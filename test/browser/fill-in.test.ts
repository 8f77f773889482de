import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eventually } from '../harness/eventually.ts'
import { violations } from './axe.ts'
import { CHROMIUM } from './chromium.ts'
import { type Dashboard, startDashboard, type Visitor } from './harness.ts'
import { claim } from './people.ts'
import { en } from './words.ts'

const PAGE = `<title>Own title</title><meta name="description" content="What it &amp; is">
  <meta property="og:image" content="/picture.png">`

describe.skipIf(CHROMIUM === null)('title and picture of a destination (needs Chromium)', () => {
  let dashboard: Dashboard
  let owner: Visitor
  let destination: ReturnType<typeof Bun.serve>
  /** Requests are answered when it resolves. */
  let held = Promise.resolve()
  let requests = 0

  beforeAll(async () => {
    destination = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch() {
        requests++
        await held
        return new Response(PAGE, { headers: { 'Content-Type': 'text/html; charset=utf-8' } })
      },
    })
    dashboard = await startDashboard({ OUTGOING_ALLOWED_NETWORKS: '127.0.0.1/32' })
    owner = await dashboard.open()
    await claim(dashboard, owner.context)
  }, 300_000)
  afterAll(async () => {
    await dashboard?.dispose()
    await destination?.stop(true)
  })

  test('are filled in on request, and never replace what was typed', async () => {
    const { page } = owner
    await page.goto('/app/links')
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.keyboard.press('c')
    const form = page.getByRole('dialog').filter({ has: page.locator('form#create-link') })
    const field = (word: Parameters<typeof en>[0]) => form.getByLabel(en(word), { exact: true })
    const section = (word: Parameters<typeof en>[0]) =>
      form.locator('details').filter({ has: page.locator('summary', { hasText: en(word) }) })
    const fillIn = (word: Parameters<typeof en>[0]) =>
      section(word).getByRole('button', { name: en('links.fillIn'), exact: true })
    const url = `http://127.0.0.1:${destination.port}`
    await field('links.field.destination').fill(`${url}/page`)

    const fillTitle = form.getByRole('button', { name: en('links.fillIn'), exact: true }).first()
    await fillTitle.click()
    const title = field('links.field.title')
    await eventually('the title is there', async () => (await title.inputValue()) || undefined)
    expect(await title.inputValue()).toBe('Own title')
    expect(requests).toBe(1)

    const release = Promise.withResolvers<void>()
    held = release.promise
    await section('links.section.social').locator('summary').click()
    await fillIn('links.section.social').click()
    const typed = field('links.field.social.title')
    await typed.fill('Typed meanwhile')
    release.resolve()
    const image = field('links.field.social.image')
    await eventually('the picture is there', async () => (await image.inputValue()) || undefined)
    expect(await image.inputValue()).toBe(`${url}/picture.png`)
    expect(await typed.inputValue()).toBe('Typed meanwhile')
    expect(await field('links.field.social.description').inputValue()).toBe('What it & is')
    expect(await violations(page)).toEqual([])

    // A write doesn't wait for it.
    held = new Promise(() => {})
    await fillTitle.click()
    await form.getByRole('button', { name: en('links.create'), exact: true }).click()
    await form.waitFor({ state: 'detached' })
    expect(owner.faults).toEqual([])
  }, 300_000)
})
