import type { BrowserContext, Locator, Page } from 'playwright-core'
import type { Dashboard } from './harness.ts'
import { en } from './words.ts'

/** An account. */
export interface Account {
  name: string
  email: string
  password: string
}

export const OWNER: Account = {
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  password: 'the engine weaves patterns',
}

/** A response of the dashboard's API. */
export interface Answer<T> {
  status: number
  body: T
}

/** Calls the dashboard's API as a browser's person, in their workspace. */
export async function ask<T = unknown>(
  { url }: Pick<Dashboard, 'url'>,
  context: BrowserContext,
  method: string,
  path: string,
  { body, workspace }: { body?: unknown; workspace?: string } = {},
): Promise<Answer<T>> {
  const response = await context.request.fetch(`${url}/app/api/v1${path}`, {
    method,
    headers: {
      Origin: url,
      ...(workspace === undefined ? {} : { 'Slugline-Workspace': workspace }),
    },
    ...(body === undefined ? {} : { data: body }),
  })
  const text = await response.text()
  return { status: response.status(), body: (text === '' ? null : JSON.parse(text)) as T }
}

/** Creates the first account without the pages. */
export async function claim(
  dashboard: Dashboard,
  context: BrowserContext,
  workspace = 'Acme',
): Promise<string> {
  const token = new URL(await dashboard.claimUrl()).hash.slice('#token='.length)
  const body = { ...OWNER, workspace, token }
  const answer = await ask<{ workspace: { id: string } }>(dashboard, context, 'POST', '/claim', {
    body,
  })
  if (answer.status !== 201) throw new Error(`claim: ${JSON.stringify(answer)}`)
  return answer.body.workspace.id
}

/** Replaces a field's text key by key: in Firefox other ways don't cause events. */
export async function write(field: Locator, text: string): Promise<void> {
  await field.press('ControlOrMeta+a')
  await field.pressSequentially(text)
}

/** Signs in on the page, without waiting for what follows. */
export async function signIn(page: Page, { email, password }: Account, search = ''): Promise<void> {
  await page.goto(`/app/sign-in${search}`)
  await write(page.getByLabel(en('auth.email')), email)
  await write(page.getByLabel(en('auth.password'), { exact: true }), password)
  await page.getByRole('button', { name: en('auth.signIn.submit'), exact: true }).click()
}

/** Waits for the heading of a dashboard page. */
export async function heading(page: Page, name: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name }).waitFor()
}

/** Creates a person without a workspace; returns their cookies. */
export async function lonely(dashboard: Dashboard) {
  const [email, password] = ['alone@example.com', OWNER.password]
  await dashboard.slugline.cli('users', 'create', '--email', email, '--password', password)
  const { context, close } = await dashboard.open()
  const signedIn = await ask(dashboard, context, 'POST', '/../auth/sign-in/email', {
    body: { email, password },
  })
  if (signedIn.status !== 200) throw new Error(`sign-in: ${JSON.stringify(signedIn)}`)
  const state = await context.storageState()
  await close()
  return state
}

/** Makes a person accept an invitation of the owner; returns their cookies. */
export async function joinAs(
  dashboard: Dashboard,
  owner: BrowserContext,
  workspace: string,
  role: 'admin' | 'member' | 'viewer',
) {
  const body = { email: `${role}@example.com`, role }
  const invited = await ask<{ url: string }>(dashboard, owner, 'POST', '/invitations', {
    workspace,
    body,
  })
  const token = new URL(invited.body.url).hash.slice('#token='.length)
  const { context, close } = await dashboard.open()
  const joined = await ask(dashboard, context, 'POST', '/invitations/accept', {
    body: { token, name: `A ${role}`, password: OWNER.password },
  })
  if (joined.status >= 300) throw new Error(`accept: ${JSON.stringify(joined)}`)
  const state = await context.storageState()
  await close()
  return state
}
