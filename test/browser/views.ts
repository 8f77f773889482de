import type { Page } from 'playwright-core'
import type { Seeded } from './seed.ts'
import type { wordsOf } from './words.ts'

/** A state to check: a page, or a page with something open on it. */
export interface View {
  name: string
  /** Below `/app/`. */
  path: string
  /** Opens what has no URL. */
  open?: (page: Page, t: ReturnType<typeof wordsOf>) => Promise<void>
  /** Requests that are expected to be refused, and the console's message about it. */
  refused?: RegExp
  /** It only adds a sentence, and perhaps a button, to what other views show. */
  plain?: true
}

type Words = ReturnType<typeof wordsOf>
type Word = Parameters<Words>[0]

const button = (page: Page, name: string) =>
  page.getByRole('button', { name, exact: true }).filter({ visible: true }).first()
const press =
  (...words: Word[]) =>
  async (page: Page, t: Words) => {
    for (const word of words) await button(page, t(word)).click()
    await page.getByRole('dialog').waitFor()
  }
/** Opens the menu of the first row that has one. */
async function openMenu(page: Page, t: Words, word: Word) {
  // The name comes first in some languages.
  const name = new RegExp(t(word).split('{name}').map(RegExp.escape).join('.+'))
  await page.getByRole('button', { name }).filter({ visible: true }).first().click()
  await page.getByRole('menu').waitFor()
}
const fromMenu = (menu: Word, item: Word) => async (page: Page, t: Words) => {
  await openMenu(page, t, menu)
  await page.getByRole('menuitem', { name: t(item) }).click()
  await page.getByRole('dialog').or(page.getByRole('alertdialog')).first().waitFor()
}

/** Pages of an unclaimed instance; sign-up is open and email is set up. */
export const UNCLAIMED: readonly View[] = [
  { name: 'claim', path: 'claim#token=x' },
  { name: 'claim-without-token', path: 'claim', plain: true },
  { name: 'unclaimed', path: 'sign-in' },
  { name: 'sign-up', path: 'sign-up' },
  { name: 'forgot-password', path: 'forgot-password' },
  {
    name: 'forgot-password-sent',
    plain: true,
    path: 'forgot-password',
    async open(page, t) {
      // An address gets few messages, but each language asks for one.
      await page.getByLabel(t('auth.email')).fill(`${Date.now()}@example.com`)
      await button(page, t('auth.forgot.submit')).click()
      await page.getByRole('heading', { name: t('auth.forgot.sent') }).waitFor()
    },
  },
]

/** Pages before the sign-in. */
export const signedOut = ({ invitation }: Seeded): readonly View[] => [
  { name: 'sign-in', path: 'sign-in' },
  {
    name: 'sign-in-refused',
    path: 'sign-in',
    refused: /^401 POST \/app\/api\/auth\/sign-in\/email/,
    async open(page, t) {
      await page.getByLabel(t('auth.email')).fill('nobody@example.com')
      await page.getByLabel(t('auth.password'), { exact: true }).fill('not the password')
      await button(page, t('auth.signIn.submit')).click()
      await page.getByRole('alert').waitFor()
    },
  },
  { name: 'sign-in-elsewhere-failed', path: 'sign-in?error=access_denied', plain: true },
  { name: 'sign-up-by-invitation', path: 'sign-up' },
  { name: 'two-factor', path: 'two-factor' },
  { name: 'two-factor-recovery', path: 'two-factor', open: recovery, plain: true },
  { name: 'forgot-password-without-mail', path: 'forgot-password', plain: true },
  { name: 'reset-password', path: 'reset-password#token=x' },
  { name: 'reset-password-without-token', path: 'reset-password', plain: true },
  { name: 'verify-email', path: 'verify-email#token=x' },
  { name: 'change-email', path: 'change-email#token=x', plain: true },
  { name: 'invitation', path: `invitation#token=${invitation}` },
  {
    name: 'invitation-invalid',
    plain: true,
    path: 'invitation?invalid#token=x',
    refused: /^404 POST \/app\/api\/v1\/invitations\/lookup/,
  },
  { name: 'claimed', path: 'claim#token=x', plain: true },
]

async function recovery(page: Page, t: Words) {
  await button(page, t('auth.twoFactor.useRecovery')).click()
  await page.getByLabel(t('auth.twoFactor.recoveryCode')).waitFor()
}

/** The owner's pages; always in a workspace named by the URL. */
export const signedIn = (seeded: Seeded): readonly View[] =>
  ofOwner(seeded).map((view) => ({
    ...view,
    path: inWorkspace(view.path, seeded.workspace),
  }))

/** The fragment, which has a link's token, stays last. */
function inWorkspace(path: string, workspace: string): string {
  if (/[?&]w=/.test(path)) return path
  const [page = '', fragment] = path.split('#')
  const query = `${page.includes('?') ? '&' : '?'}w=${workspace}`
  return `${page}${query}${fragment === undefined ? '' : `#${fragment}`}`
}

const ofOwner = ({ linkId, ruledId, empty, invitation }: Seeded): readonly View[] => [
  { name: 'links', path: 'links' },
  { name: 'links-empty', path: `links?w=${empty}`, plain: true },
  {
    name: 'links-nothing-found',
    path: 'links?q=nothing-like-this&tag=none&status=expired',
    plain: true,
  },
  { name: 'links-filters', path: 'links', open: press('links.filters') },
  { name: 'links-create', path: 'links?create=true' },
  {
    name: 'links-create-options',
    path: 'links?create=true',
    async open(page, t) {
      const dialog = page.getByRole('dialog')
      await dialog
        .getByLabel(t('links.field.destination'), { exact: true })
        .fill('javascript:alert(1)')
      await dialog.getByLabel(t('links.field.slug'), { exact: true }).fill('summer')
      await dialog.getByLabel(t('links.field.title'), { exact: true }).fill('Another')
      await dialog.getByText(t('links.section.details')).click()
      await dialog.getByText(t('links.suggestions')).first().waitFor()
    },
  },
  { name: 'links-edit', path: `links?edit=${linkId}` },
  { name: 'links-rules', path: `links?edit=${ruledId}`, open: openRules },
  {
    name: 'links-selected',
    path: 'links',
    async open(page, t) {
      await page.getByRole('checkbox', { name: t('links.selectAll') }).check()
      await button(page, t('links.delete')).waitFor()
    },
  },
  { name: 'links-menu', path: 'links', open: (page, t) => openMenu(page, t, 'links.actionsFor') },
  {
    name: 'shortcuts',
    path: 'links',
    async open(page) {
      await page.keyboard.press('?')
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'person-menu',
    path: 'usage',
    async open(page, t) {
      await page
        .getByRole('button', { name: t('shell.account') })
        .first()
        .click()
      await page.getByRole('menuitem', { name: t('shell.language') }).hover()
      await page.getByRole('menuitemradio', { name: 'Deutsch' }).waitFor()
    },
  },
  {
    name: 'workspace-switch',
    path: 'usage',
    async open(page) {
      await page.getByRole('button', { name: /Acme/ }).first().click()
      await page.getByRole('menu').waitFor()
    },
  },
  {
    name: 'links-failed',
    plain: true,
    path: 'links',
    refused: /^503 GET \/app\/api\/v1\/links/,
    async open(page) {
      const error = { code: 'SERVICE_UNAVAILABLE', message: 'Later.', request_id: 'req_x' }
      await page.route('**/app/api/v1/links?*', (route) =>
        route.fulfill({ status: 503, json: { error } }),
      )
      await page.reload()
      await page.getByRole('alert').waitFor()
      await page.unroute('**/app/api/v1/links?*')
    },
  },
  { name: 'link', path: `links/${linkId}` },
  { name: 'link-rules', path: `links/${ruledId}` },
  {
    name: 'link-missing',
    plain: true,
    path: 'links/lnk_00000000000000000000000000',
    refused: /^404 GET \/app\/api\/v1\/links\/lnk_0/,
  },
  { name: 'link-statistics', path: `links/${linkId}/statistics?range=today` },
  { name: 'statistics', path: 'statistics' },
  { name: 'statistics-table', path: 'statistics?view=table&filter=not_browser:Firefox' },
  { name: 'statistics-clicks', path: 'statistics?tab=clicks&bots=include' },
  { name: 'statistics-live', path: 'statistics?live=on' },
  { name: 'statistics-empty', path: `statistics?w=${empty}`, plain: true },
  {
    name: 'statistics-saved',
    path: 'statistics?filter=not_browser:Firefox',
    open: press('statistics.saved'),
  },
  { name: 'statistics-share', path: 'statistics', open: press('shares.share') },
  { name: 'shares', path: 'statistics/shared' },
  { name: 'shares-empty', path: `statistics/shared?w=${empty}`, plain: true },
  { name: 'tags', path: 'tags' },
  { name: 'deleted', path: 'links/deleted', plain: true },
  { name: 'import', path: 'import' },
  { name: 'jobs', path: 'jobs' },
  { name: 'jobs-empty', path: `jobs?w=${empty}`, plain: true },
  { name: 'domains', path: 'domains' },
  { name: 'keys', path: 'keys' },
  {
    name: 'keys-old',
    path: 'keys',
    async open(page) {
      await page.locator('main > div > button').click()
    },
  },
  { name: 'keys-empty', path: `keys?w=${empty}`, plain: true },
  { name: 'keys-create', path: 'keys', open: press('keys.create') },
  { name: 'keys-made', path: `keys?w=${empty}`, open: makeKey },
  { name: 'keys-rotate', path: 'keys', open: fromMenu('keys.actions', 'keys.rotate') },
  { name: 'keys-revoke', path: 'keys', open: fromMenu('keys.actions', 'keys.revoke') },
  { name: 'members', path: 'members' },
  { name: 'members-invite', path: 'members', open: press('members.invite') },
  {
    name: 'members-invited',
    path: `members?w=${empty}`,
    async open(page, t) {
      await press('members.invite')(page, t)
      await page
        .getByRole('dialog')
        .getByLabel(t('members.emails'), { exact: true })
        .fill('new@example.com')
      await button(page, t('members.invite.submit')).click()
      await page.getByRole('dialog').locator('pre').waitFor()
    },
  },
  {
    name: 'audit',
    path: 'audit',
    async open(page) {
      for (const one of await page.locator('details > summary').all()) await one.click()
    },
  },
  {
    name: 'audit-none',
    path: 'audit?action=key.rotated&actor=nobody&before=2020-01-01',
    plain: true,
  },
  { name: 'usage', path: 'usage' },
  { name: 'settings', path: 'settings' },
  { name: 'settings-delete', path: 'settings', open: press('settings.workspace.delete') },
  { name: 'account', path: 'account' },
  { name: 'account-passkey', path: 'account', open: press('settings.passkeys.add') },
  { name: 'account-two-factor', path: 'account', open: press('settings.twoFactor.enable') },
  { name: 'account-two-factor-app', path: 'account', open: beginTwoFactor },
  { name: 'instance', path: 'instance' },
  { name: 'instance-none', path: 'instance?search=nothing-like-this', plain: true },
  { name: 'invitation-of-another', path: `invitation#token=${invitation}`, plain: true },
  { name: 'nowhere', path: 'nowhere', plain: true },
  {
    name: 'error',
    plain: true,
    path: 'usage',
    refused: /^503 GET \/app\/api\/v1\/session|^console: ApiError: Later/,
    async open(page) {
      const error = { code: 'SERVICE_UNAVAILABLE', message: 'Later.', request_id: 'req_x' }
      await page.route('**/app/api/v1/session', (route) =>
        route.fulfill({ status: 503, json: { error } }),
      )
      await page.reload()
      await page.getByRole('alert').waitFor()
      await page.unroute('**/app/api/v1/session')
    },
  },
]

/** Opens the editor of rules, with all of them expanded. */
async function openRules(page: Page, t: Words) {
  const dialog = page.getByRole('dialog')
  for (const section of ['links.field.rules', 'rules.split'] as const) {
    await dialog
      .locator('summary')
      .filter({ hasText: t(section) })
      .first()
      .click()
  }
  const folded = dialog.locator('[data-rule] > div > button[aria-expanded=false]:first-child')
  while ((await folded.count()) > 0) await folded.first().click()
}

async function makeKey(page: Page, t: Words) {
  await press('keys.create')(page, t)
  await page.getByRole('dialog').getByLabel(t('keys.name'), { exact: true }).fill('website')
  await page
    .getByRole('dialog')
    .getByRole('button', { name: t('keys.create') })
    .click()
  await page.getByText(t('keys.made.kept')).waitFor()
  await button(page, t('keys.made.close')).click()
  await page
    .getByRole('alert')
    .filter({ hasText: t('keys.made.leave') })
    .waitFor()
}

async function beginTwoFactor(page: Page, t: Words) {
  await press('settings.twoFactor.enable')(page, t)
  await page
    .getByRole('dialog')
    .getByLabel(t('settings.twoFactor.password'), { exact: true })
    .fill('the engine weaves patterns')
  await button(page, t('settings.twoFactor.continue')).click()
  await page.getByLabel(t('settings.twoFactor.code')).waitFor()
}

/** Pages of a viewer. */
export const AS_VIEWER: readonly View[] = [
  { name: 'viewer-links', path: 'links' },
  { name: 'viewer-keys', path: 'keys', plain: true },
  { name: 'viewer-members', path: 'members', plain: true },
  { name: 'viewer-audit', path: 'audit', plain: true },
  { name: 'viewer-settings', path: 'settings', plain: true },
  { name: 'viewer-instance', path: 'instance', plain: true },
]

/** What a person without a workspace sees: they can leave. */
export const NO_WORKSPACE: readonly View[] = [
  {
    name: 'no-workspace',
    path: 'links',
    plain: true,
    open: (page, t) => button(page, t('shell.signOut')).waitFor(),
  },
]
