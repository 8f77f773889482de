import { afterAll, beforeAll, expect, test } from 'bun:test'
import { PNG } from 'pngjs'
import type { Browser } from './testing/browser.ts'
import { DOT, picture } from './testing/picture.ts'
import { createSite, PASSWORD, type TestSite } from './testing/site.ts'

const OWN = '/app/api/v1/account/picture'

let site: TestSite
let owner: Browser
let member: Browser
beforeAll(async () => {
  site = await createSite()
  owner = await site.owner()
  member = await site.joined(owner, 'viewer')
})
afterAll(() => site.close())

const set = (image: string, query = '') => member.send('PUT', OWN + query, { image })
function fetchAs({ app, baseUrl, address, cookies }: Browser, path: string) {
  const Cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  return app.fetch(new Request(baseUrl + path, { headers: { Cookie } }), { peer: address })
}
const shown = async () => (await member.get('/app/api/v1/session')).body.user.picture
const events = async () => (await member.get('/app/api/v1/account/events')).body.data

test('a picture is scaled down, and visible to members of the same workspace', async () => {
  expect(await shown()).toBeNull()
  const { status, body } = await set(picture(300))
  expect(status).toBe(200)
  expect(await shown()).toBe(body.picture)
  const { data } = (await owner.get('/app/api/v1/members')).body
  expect(data.map((one: { picture: string | null }) => one.picture)).toEqual([null, body.picture])
  const seen = await fetchAs(owner, body.picture)
  expect(seen.headers.get('content-type')).toBe('image/png')
  expect(PNG.sync.read(Buffer.from(await seen.arrayBuffer()))).toMatchObject({ width: 128 })
  const etag = seen.headers.get('etag')
  expect((await owner.get(body.picture, { headers: { 'If-None-Match': etag } })).status).toBe(304)
})

test('for others a picture is like a missing one', async () => {
  const url = await shown()
  await site.users.create({ email: 'out@example.com', password: PASSWORD })
  const stranger = site.browser()
  await stranger.signIn('out@example.com', PASSWORD)
  expect((await stranger.get(url)).code).toBe('NOT_FOUND')
  expect((await site.browser().get(url)).code).toBe('SIGN_IN_REQUIRED')
})

test('an equal one changes nothing, another one its URL; a dry run neither', async () => {
  const before = [await shown(), (await events()).length]
  await set(picture(300))
  const dry = await set(DOT, '?dry_run=true')
  expect(dry.body.picture).not.toBe(before[0])
  expect([await shown(), (await events()).length]).toEqual(before)
  await set(DOT)
  expect(await shown()).toBe(dry.body.picture)
  expect((await events())[0].action).toBe('account.picture_changed')
})

test('an invalid image is refused with its field', async () => {
  for (const image of ['', 'no base64!', Buffer.from('<svg/>').toString('base64')]) {
    expect((await set(image)).details).toEqual({ image: 'INVALID_IMAGE' })
  }
})

test('a removed picture is not found', async () => {
  const url = await shown()
  expect((await member.send('DELETE', OWN)).status).toBe(204)
  expect((await member.send('DELETE', OWN)).code).toBe('NOT_FOUND')
  expect([await shown(), (await owner.get(url)).code]).toEqual([null, 'NOT_FOUND'])
  expect((await events())[0].action).toBe('account.picture_removed')
})
