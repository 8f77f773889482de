import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createIds } from '../../lib/base/ids.ts'
import { systemRandom } from '../../lib/base/random.ts'
import { createBlockList } from '../../model/blocks/list.ts'
import { COMMAND_LINE } from '../audit/index.ts'
import { createTestLinks, refusal, type TestLinks } from '../links/testing/links.ts'
import { type Blocks, createBlocks } from './index.ts'

const URL_A = 'https://a.example/'

let links: TestLinks
let blocks: Blocks
beforeEach(async () => {
  let list: Blocks['list'] | undefined
  links = await createTestLinks({
    blocks: new Proxy({} as Blocks['list'], {
      get: (_, name) => Reflect.get(list as object, name),
    }),
  })
  const { storage, clock, service } = links
  const { domains } = service.rules
  list = createBlockList({ storage, domains, hosts: [] })
  const ids = createIds(clock, systemRandom)
  blocks = createBlocks({ storage, clock, ids, domains, list })
})
afterEach(() => links.close())

const create = (slug: string, more: object = {}, workspaceNo = 1) =>
  links.create({ destination_url: URL_A, slug, ...more }, workspaceNo)

async function block(value: string) {
  const input = { kind: 'link' as const, value, reason: 'Phishing' }
  const made = await links.storage.write((tx) => blocks.service.create(tx, COMMAND_LINE, input))
  await blocks.list.refresh()
  return made
}

async function isCovered(key: string, { workspaceNo = 1, domainNo = 0 } = {}) {
  await blocks.list.refresh()
  return blocks.list.covers(domainNo, workspaceNo * 2 ** 32 + 1, URL_A, key)
}

const blocked = (field: string) => ['VALIDATION_FAILED', `${field}: SLUG_BLOCKED`]

test('nothing can be added below a blocked prefix, by no way and at no depth', async () => {
  const other = await create('other')
  const gone = await create('promo/gone')
  await links.remove(gone.id)
  const prefix = await create('Promo', { match: 'prefix', aliases: ['p2/x'] })
  const { id: blockId } = await block('promo')
  for (const slug of ['promo/x', 'PROMO/a/b', 'p2/x/y']) {
    expect(await refusal(create(slug))).toEqual(blocked('slug'))
    expect(await refusal(create(slug, { match: 'prefix' }))).toEqual(blocked('slug'))
    expect(await refusal(create('free', { aliases: [slug] }))).toEqual(blocked('aliases'))
    expect(await refusal(links.patch(other.id, { slug }))).toEqual(blocked('slug'))
    expect(await refusal(links.patch(other.id, { aliases: [slug] }))).toEqual(blocked('aliases'))
  }
  expect(await refusal(links.restore(gone.id))).toEqual(blocked('slug'))
  const check = await links.service.checkLink(
    {
      workspace: { no: 1, plan: { limits: { links: null, addresses: null } } },
      actor: COMMAND_LINE,
    },
    { slug: 'promo/x' },
  )
  expect(check.problems).toEqual([{ field: 'slug', code: 'SLUG_BLOCKED' }])
  // Another domain, another beginning.
  await create('promo/x', { domain: 'go.example' })
  await create('promo-x/y')
  await links.remove(prefix.id)
  expect(await refusal(create('promo/x'))).toEqual(blocked('slug'))
  await links.storage.write((tx) => blocks.service.remove(tx, COMMAND_LINE, blockId))
  expect((await create('promo/x')).slug).toBe('promo/x')
})

test('what a workspace had below its blocked prefix is blocked, what others had is not', async () => {
  const early = await create('promo/early', {}, 2)
  const own = await create('promo/own')
  const longer = await create('promo/long', { match: 'prefix' })
  const alias = await create('elsewhere', { aliases: ['promo/alias'] })
  await create('promo', { match: 'prefix' })
  const { id: blockId } = await block('promo')
  for (const key of ['promo/own', 'promo/long', 'promo/alias']) {
    expect([key, await isCovered(key)]).toEqual([key, true])
  }
  expect(await isCovered('elsewhere')).toBe(false)
  expect(await isCovered('promo/early', { workspaceNo: 2 })).toBe(false)
  expect(await isCovered('promo/own', { domainNo: 1 })).toBe(false)
  const { data, pagination } = await links.list({ status: 'blocked', sort: 'slug', order: 'asc' })
  expect(data.map(({ slug }) => slug)).toEqual(['promo', 'promo/long', 'promo/own'])
  expect(pagination.total).toBe(3)
  expect((await links.list({ status: 'active' })).data.map(({ id }) => id)).toEqual([alias.id])
  expect((await links.list({}, 2)).data).toMatchObject([{ id: early.id, status: 'active' }])
  expect(await links.patch(own.id, { title: 'x' })).toMatchObject({
    status: 'blocked',
    block: { reason: 'Phishing' },
  })
  await links.remove(longer.id)
  await links.storage.write((tx) => blocks.service.remove(tx, COMMAND_LINE, blockId))
  expect(await isCovered('promo/own')).toBe(false)
  expect((await links.list({ status: 'blocked' })).data).toEqual([])
})

test('a blocked prefix stays one when its link is changed, moved, deleted or set back', async () => {
  const { id } = await create('promo')
  await links.patch(id, { match: 'prefix' })
  const { id: blockId } = await block(id)
  await links.patch(id, { match: 'exact' })
  expect(await refusal(create('promo/x'))).toEqual(blocked('slug'))
  await links.patch(id, { slug: 'moved' })
  await links.patch(id, { aliases: [] })
  await links.restore(id, { version: 1 })
  await links.remove(id)
  expect(await refusal(create('promo/x'))).toEqual(blocked('slug'))
  expect(await isCovered('promo/x')).toBe(true)
  await links.restore(id)
  expect(await refusal(create('promo/x'))).toEqual(blocked('slug'))
  await links.storage.write((tx) => blocks.service.remove(tx, COMMAND_LINE, blockId))
  // Exact since: others may use what is below it.
  expect((await create('promo/x', {}, 2)).slug).toBe('promo/x')
})

test('a blocked exact link leaves what is below it alone', async () => {
  await create('bad/fine')
  await create('bad')
  await block('bad')
  expect(await isCovered('bad/fine')).toBe(false)
  expect((await create('bad/more')).status).toBe('active')
})

test('the prefix of a case-sensitive domain is covered by its new key', async () => {
  await create('Promo', { match: 'prefix' })
  await create('Promo/X')
  await block('promo')
  const { rekeySlugs } = await import('../links/cases.ts')
  await links.storage.write((tx) => rekeySlugs(tx, 0, true))
  expect(await isCovered('Promo/X')).toBe(true)
  expect(await isCovered('promo/X')).toBe(false)
})
