import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join, resolve } from 'node:path'
import type { BrowserContext, Locator } from 'playwright-core'
import { OPENED, violations } from './axe.ts'
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
import { wordsOf } from './words.ts'

const FIXTURES = resolve(import.meta.dir, '../../src/features/imports/testing')
const WIDE = { width: 1280, height: 900 }
const PHONE = { width: 390, height: 844 }
/** As in pages.test.ts: axe's results hardly depend on the language. */
const isChecked = (language: string) => language === 'en' || process.env.EVERY_PAGE === 'all'

describe.skipIf(CHROMIUM === null)('dialogs and menus (needs Chromium)', () => {
  let dashboard: Dashboard
  let owner: Visitor
  let linkId: string
  let state: Awaited<ReturnType<BrowserContext['storageState']>>

  beforeAll(async () => {
    dashboard = await startDashboard()
    owner = await dashboard.open()
    const workspace = await claim(dashboard, owner.context)
    await dashboard.slugline.cli('workspaces', 'set-plan', 'Acme', 'pro')
    const make = async (path: string, body: object) =>
      (await ask<{ id: string }>(dashboard, owner.context, 'POST', path, { workspace, body })).body
    const link = { destination_url: 'https://example.com/', tags: ['spring', 'summer'] }
    linkId = (await make('/links', { ...link, slug: 'kept' })).id
    const gone = await make('/links', { ...link, slug: 'gone' })
    await ask(dashboard, owner.context, 'DELETE', `/links/${gone.id}`, { workspace })
    await make('/folders', { name: 'Posters', access: 'members' })
    await make('/domains', { host: 'go.example.com' })
    await make('/views', { name: 'Spring', filter: { tag: ['spring'] } })
    await make('/views', { name: 'All', shared: true })
    state = await owner.context.storageState()
    // Also builds the dashboard, on a machine that may be busy.
  }, 300_000)
  afterAll(async () => await dashboard?.dispose())

  for (const language of ['en', 'ar'] as const) {
    test(`${isChecked(language) ? 'has no faults that axe finds, and ' : ''}fits on a phone: ${language}`, async () => {
      const t = wordsOf(language)
      const visitor = await dashboard.open({
        locale: language,
        viewport: WIDE,
        storageState: state,
      })
      const { page } = visitor
      const found: string[] = []
      const button = (name: string, within: Locator = page.locator('body')) =>
        within.getByRole('button', { name, exact: true }).filter({ visible: true }).first()
      const look = async (name: string) => {
        const note = (kind: string, all: string[]) =>
          found.push(...all.map((one) => `${name} (${language}, ${kind}): ${one}`))
        await visitor.settled()
        if (isChecked(language)) note('light', await violations(page))
        if (PICTURES) await screenshot(page, `dialog-${name}-${language}-light`)
        await page.evaluate("document.documentElement.dataset.theme = 'dark'")
        if (isChecked(language)) note('dark', await violations(page, 'colors'))
        await page.setViewportSize(PHONE)
        // Open elements are repositioned in the next frames.
        await visitor.settled()
        note('phone', await layoutFaults(page))
        if (PICTURES) await screenshot(page, `dialog-${name}-${language}-dark-phone`)
        await page.setViewportSize(WIDE)
        await page.evaluate('delete document.documentElement.dataset.theme')
      }
      const opened = page.locator(OPENED)
      const lookAt = async (name: string, open: () => Promise<unknown>) => {
        await open()
        await opened.first().waitFor()
        await look(name)
        await page.keyboard.press('Escape')
        await opened.waitFor({ state: 'detached' })
      }
      const fromMenu = (of: string, item: Parameters<typeof t>[0]) => async () => {
        await button(t('tags.actions', { name: of })).click()
        await page.getByRole('menuitem', { name: t(item), exact: true }).click()
      }

      await page.goto('/app/tags')
      await lookAt('tag-create', () => button(t('tags.create')).click())
      await lookAt('tag-edit', fromMenu('spring', 'tags.edit'))
      await lookAt('tag-merge', fromMenu('spring', 'tags.merge'))
      await lookAt('tag-delete', fromMenu('spring', 'tags.delete'))
      await page.getByRole('tab', { name: t('folders.title') }).click()
      await look('folders')
      await lookAt('folder-create', () => button(t('folders.create')).click())
      await lookAt('folder-edit', fromMenu('Posters', 'folders.edit'))
      await lookAt('folder-delete', fromMenu('Posters', 'folders.delete'))

      await go(page, 'domains')
      await lookAt('domain-add', () => button(t('domains.add')).click())
      const host = 'go.example.com'
      const ofHost = (label: string) => t('common.labelled', { label, value: host })
      await lookAt('domain-settings', () => button(ofHost(t('shell.settings'))).click())
      await lookAt('domain-delete', () => button(ofHost(t('domains.delete'))).click())

      await go(page, 'links')
      await lookAt('columns', () => button(t('links.columns')).click())
      await lookAt('folder-filter', () =>
        page
          .getByRole('main')
          .getByRole('button', { name: t('folders.title') })
          .click(),
      )
      const views = () => page.getByRole('button', { name: new RegExp(`^${t('links.views')}: `) })
      await lookAt('views', () => views().click())
      await lookAt('view-save', async () => {
        await views().click()
        await button(t('links.views.save')).click()
        await opened.locator('form').waitFor()
      })
      await lookAt('palette', async () => {
        await page.keyboard.press('Control+k')
        await page.getByRole('option', { name: /kept/ }).waitFor()
      })
      await page.getByRole('checkbox', { name: t('links.selectAll') }).check()
      await lookAt('bulk-tags', () => button(t('links.field.tags')).click())
      await lookAt('bulk-folder', () => button(t('links.field.folder')).click())

      await go(page, `links/${linkId}?qr=true`)
      await page.getByRole('combobox', { name: t('links.qr.shape') }).waitFor()
      await look('qr')
      await go(page, 'links/deleted')
      await page.getByRole('button', { name: t('links.trash.restore') }).waitFor()
      await look('deleted')
      await go(page, 'statistics')
      await lookAt('filter', async () => {
        await button(t('statistics.filter.add')).click()
        const by = page.getByRole('combobox', { name: t('statistics.filters'), exact: true })
        await by.click()
        await page.getByRole('option', { name: t('statistics.dimension.tag'), exact: true }).click()
        await page.getByRole('combobox', { name: t('statistics.dimension.tag') }).waitFor()
      })
      await go(page, 'import')
      await page.getByLabel(t('imports.choose')).setInputFiles(join(FIXTURES, 'dub.csv'))
      await button(t('imports.check')).waitFor()
      await look('import-plan')
      await page.goto('/app/import')
      await page.getByRole('tab', { name: t('imports.service') }).click()
      await look('import-service')

      expect(found).toEqual([])
      expect(visitor.faults).toEqual([])
      await visitor.close()
    }, 300_000)
  }
})
