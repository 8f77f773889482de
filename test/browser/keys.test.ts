import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { violations } from './axe.ts'
import { CHROMIUM } from './chromium.ts'
import {
  type Dashboard,
  go,
  PICTURES,
  screenshot,
  startDashboard,
  type Visitor,
} from './harness.ts'
import { layoutFaults } from './layout.ts'
import { ask, claim } from './people.ts'
import { en, wordsOf } from './words.ts'

const LANGUAGES = ['en', 'de', 'ar'] as const

describe.skipIf(CHROMIUM === null)('restrictions of keys (needs Chromium)', () => {
  let dashboard: Dashboard
  let owner: Visitor
  let workspace: string
  let folders: string[]

  beforeAll(async () => {
    dashboard = await startDashboard()
    owner = await dashboard.open()
    workspace = await claim(dashboard, owner.context)
    folders = []
    for (const name of ['Campaigns', 'Posters']) {
      folders.push((await made<{ id: string }>('/folders', { name })).id)
    }
    for (const name of ['spring', 'summer']) await made('/tags', { name })
  }, 300_000)
  afterAll(async () => await dashboard?.dispose())

  const made = async <T>(path: string, body: object) =>
    (await ask<T>(dashboard, owner.context, 'POST', path, { workspace, body })).body
  const keys = async () => {
    const { body } = await ask<{ data: { id: string; name: string; restrictions: unknown }[] }>(
      ...([dashboard, owner.context, 'GET', '/keys', { workspace }] as const),
    )
    return body.data
  }
  const dialog = () => owner.page.getByRole('dialog')
  const section = () =>
    dialog()
      .locator('summary')
      .filter({ hasText: en('keys.restrictions') })
  const pick = async (list: Parameters<typeof en>[0], option: string) => {
    await dialog()
      .getByRole('combobox', { name: en(list) })
      .click()
    await owner.page.getByRole('option', { name: option, exact: true }).click()
  }
  const networks = () => dialog().getByLabel(en('keys.restrictions.networks'), { exact: true })
  const remove = (name: string) =>
    dialog()
      .getByRole('button', { name: en('keys.restrictions.remove', { name }) })
      .click()
  const edit = async (name: string) => {
    await owner.page
      .getByRole('button', { name: en('keys.actions', { name }) })
      .filter({ visible: true })
      .click()
    await owner.page.getByRole('menuitem', { name: en('keys.edit') }).click()
  }
  const save = () =>
    dialog()
      .getByRole('button', { name: en('common.save') })
      .click()

  test('are chosen by name, and shown by name', async () => {
    const { page } = owner
    await page.goto('/app/keys')
    await page
      .getByRole('button', { name: en('keys.create') })
      .first()
      .click()
    await dialog().getByLabel(en('keys.name'), { exact: true }).fill('partner')
    expect(await networks().isVisible()).toBe(false)
    await section().click()
    const host = new URL(dashboard.url).host
    await pick('keys.restrictions.addDomain', host)
    await pick('keys.restrictions.addFolder', 'Posters')
    await pick('keys.restrictions.addFolder', 'Campaigns')
    const tags = dialog().getByRole('combobox', { name: en('tags.title'), exact: true })
    await tags.click()
    await page.getByRole('option').filter({ hasText: 'spring' }).click()
    await tags.press('Escape')
    await dialog()
      .getByRole('checkbox', { name: en('keys.restrictions.own') })
      .check()
    await networks().fill('192.0.2.0/24\nnowhere')
    await dialog()
      .getByRole('button', { name: en('keys.create') })
      .click()
    // The server's error is at its field, with the line.
    await networks().and(page.locator('[aria-invalid=true]')).waitFor()
    await dialog().getByRole('status').filter({ hasText: 'nowhere' }).waitFor()
    expect(await dialog().getByRole('alert').count()).toBe(0)
    expect(await violations(page)).toEqual([])
    await networks().fill('192.0.2.0/24')
    await dialog()
      .getByRole('button', { name: en('keys.create') })
      .click()
    await page.getByRole('checkbox', { name: en('keys.made.kept') }).check()
    await page.getByRole('button', { name: en('keys.made.close') }).click()

    const row = page.getByRole('row').filter({ hasText: 'partner' })
    for (const text of [host, 'Posters', 'Campaigns', 'spring', '192.0.2.0/24']) {
      await row.getByText(text).first().waitFor()
    }
    await row.getByText(en('keys.restrictions.own.short')).waitFor()
    expect(await row.innerText()).not.toContain('fld_')
    expect(await keys()).toMatchObject([
      {
        name: 'partner',
        restrictions: {
          domains: [host],
          folders: [folders[1], folders[0]],
          tags: ['spring'],
          networks: ['192.0.2.0/24'],
          own_links: true,
        },
      },
    ])
  }, 120_000)

  test('are changed with the name of a key', async () => {
    const { page } = owner
    await edit('partner')
    await dialog().getByLabel(en('keys.name'), { exact: true }).fill('agency')
    await remove('Posters')
    await remove(new URL(dashboard.url).host)
    await dialog()
      .getByRole('checkbox', { name: en('keys.restrictions.own') })
      .uncheck()
    await save()
    await dialog().waitFor({ state: 'detached' })
    await page.getByRole('row').filter({ hasText: 'agency' }).waitFor()
    const [changed] = await keys()
    expect(changed).toMatchObject({ name: 'agency' })
    expect(changed?.restrictions).toEqual({
      folders: [folders[0]],
      tags: ['spring'],
      networks: ['192.0.2.0/24'],
    })
  }, 120_000)

  test('to what is deleted stay until they are removed', async () => {
    const { page } = owner
    const { id } = (await ask<{ data: { id: string; name: string }[] }>(
      ...([dashboard, owner.context, 'GET', '/tags', { workspace }] as const),
    ).then(({ body }) => body.data.find(({ name }) => name === 'spring'))) as { id: string }
    await ask(dashboard, owner.context, 'DELETE', `/tags/${id}`, { workspace })
    await ask(dashboard, owner.context, 'DELETE', `/folders/${folders[0]}?move_to=none`, {
      workspace,
    })
    await page.goto('/app/keys')
    await page
      .getByRole('row')
      .filter({ hasText: en('keys.restrictions.deletedTags') })
      .filter({ hasText: en('keys.restrictions.deletedFolder') })
      .waitFor()
    await edit('agency')
    await networks().fill('')
    await save()
    await dialog().waitFor({ state: 'detached' })
    expect((await keys())[0]?.restrictions).toEqual({ folders: [folders[0]], tags: [] })
    await edit('agency')
    await remove(en('keys.restrictions.deletedTags'))
    await remove(en('keys.restrictions.deletedFolder'))
    await save()
    await dialog().waitFor({ state: 'detached' })
    expect((await keys())[0]?.restrictions).toBeNull()
    expect(owner.faults).toEqual([])
  }, 120_000)

  test('fit and pass axe', async () => {
    const restrictions = {
      domains: [new URL(dashboard.url).host],
      folders: [folders[1]],
      tags: ['summer'],
      networks: ['192.0.2.0/24', '2001:db8:1234:5678::/64', '198.51.100.7'],
      own_links: true,
    }
    await made('/keys', { name: 'Website', scopes: ['links:read'], restrictions })
    const state = await owner.context.storageState()
    for (const language of LANGUAGES) {
      const t = wordsOf(language)
      const visitor = await dashboard.open({ locale: language, storageState: state })
      const { page } = visitor
      const look = async (name: string) => {
        const found: string[] = []
        for (const [width, theme] of [
          [1440, 'light'],
          [1440, 'dark'],
          [390, 'light'],
          [390, 'dark'],
        ] as const) {
          await page.setViewportSize({ width, height: 900 })
          await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`)
          await visitor.settled()
          found.push(...(await layoutFaults(page)))
          // As in pages.test.ts: what axe finds hardly depends on the language.
          if (language === 'en') {
            found.push(...(await violations(page, theme === 'dark' ? 'colors' : 'all')))
          }
          if (PICTURES) await screenshot(page, `keys-${name}-${language}-${width}-${theme}`)
        }
        expect({ name, language, found }).toEqual({ name, language, found: [] })
      }
      await page.goto('/app/keys')
      await page.getByText(t('keys.restrictions.own.short')).filter({ visible: true }).waitFor()
      await look('list')
      await page
        .getByRole('button', { name: t('keys.actions', { name: 'Website' }) })
        .filter({ visible: true })
        .click()
      await page.getByRole('menuitem', { name: t('keys.edit') }).click()
      await page.getByRole('dialog').waitFor()
      await look('edit')
      await page.keyboard.press('Escape')
      await go(page, 'keys?create=true')
      await page.getByRole('dialog').locator('summary').waitFor()
      await look('create')
      expect(visitor.faults).toEqual([])
      await visitor.close()
    }
  }, 300_000)
})
