import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createCursors } from '../../http/cursor.ts'
import { createIds } from '../../lib/base/ids.ts'
import { systemRandom } from '../../lib/base/random.ts'
import { createBlockList } from '../../model/blocks/list.ts'
import { type Actor, COMMAND_LINE } from '../audit/index.ts'
import { createTestLinks, refusal, type TestLinks } from '../links/testing/links.ts'
import { slugRow } from '../links/testing/tables.ts'
import { type Blocks, createBlocks } from './index.ts'
import { addReport } from './reports.ts'
import type { BlockInput } from './schemas.ts'

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
  const ids = createIds(clock, systemRandom)
  const { domains } = service.rules
  list = createBlockList({ storage, domains, hosts: ['listed.example'] })
  blocks = createBlocks({ storage, clock, ids, domains, list })
})
afterEach(() => links.close())

async function block(
  value: string,
  kind: BlockInput['kind'] = 'link',
  actor: Actor = COMMAND_LINE,
) {
  const made = await links.storage.write((tx) =>
    blocks.service.create(tx, actor, { kind, value, reason: 'Phishing' }),
  )
  await blocks.list.refresh()
  return made
}

async function unblock(id: string) {
  const done = await links.storage.write((tx) => blocks.service.remove(tx, COMMAND_LINE, id))
  await blocks.list.refresh()
  return done
}

const isBlocked = async (slug: string) => (await slugRow(links, slug))?.block_id != null

describe('a block of an address', () => {
  test('outlives the link: the workspace can’t create another one there', async () => {
    const link = await links.create({ destination_url: URL_A, slug: 'Bad', aliases: ['b2'] })
    await block('s.example/bad')
    await links.remove(link.id)
    for (const slug of ['bad', 'B2']) {
      expect(await refusal(links.create({ destination_url: URL_A, slug }))).toEqual([
        'VALIDATION_FAILED',
        'slug: SLUG_BLOCKED',
      ])
      expect(await isBlocked(slug.toLowerCase())).toBe(true)
    }
    const other = await links.create({ destination_url: URL_A, slug: 'fine' })
    for (const [body, field] of [
      [{ slug: 'bad' }, 'slug'],
      [{ aliases: ['b2'] }, 'aliases'],
    ] as const) {
      expect(await refusal(links.patch(other.id, body))).toEqual([
        'VALIDATION_FAILED',
        `${field}: SLUG_BLOCKED`,
      ])
    }
    expect(await links.restore(link.id)).toMatchObject({ status: 'blocked' })
  })

  test('covers addresses added to the link, and stays on removed ones', async () => {
    const { id } = await links.create({ destination_url: URL_A, slug: 'bad' })
    const { id: blockId } = await block(id)
    await links.patch(id, { slug: 'moved' })
    await links.patch(id, { aliases: ['third'] })
    await links.patch(id, { domain: 'go.example', aliases: [] })
    for (const slug of ['bad', 'moved', 'third'])
      expect([slug, await isBlocked(slug)]).toEqual([slug, true])
    expect((await links.list()).data[0]).toMatchObject({
      status: 'blocked',
      block: { reason: 'Phishing', blocked_at: new Date(links.clock.ms).toISOString() },
    })
    expect(await unblock(blockId)).toBe(true)
    for (const slug of ['bad', 'moved', 'third'])
      expect([slug, await isBlocked(slug)]).toEqual([slug, false])
    expect((await links.list()).data[0]).toMatchObject({ status: 'active', block: null })
    expect(await unblock(blockId)).toBe(false)
  })

  test('needs no link, and its removal frees the address', async () => {
    const { id, link_id } = await block('https://s.example/Never%20made+'.replace('%20', '-'))
    expect(link_id).toBeNull()
    const body = { destination_url: URL_A, slug: 'never-made' }
    for (const workspaceNo of [1, 2]) {
      expect(await refusal(links.create(body, workspaceNo))).toEqual([
        'VALIDATION_FAILED',
        'slug: SLUG_BLOCKED',
      ])
    }
    await unblock(id)
    expect(await links.create(body, 2)).toMatchObject({ status: 'active' })
  })

  test('is one of the deleted link that had it, however many were deleted since', async () => {
    const { id } = await links.create({ destination_url: URL_A, slug: 'Old', aliases: ['older'] })
    await links.remove(id)
    const row = JSON.stringify({ slug: 'other', domain_no: 0, aliases: '[]' })
    const later = Array.from({ length: 500 }, (_, i) => ({
      seq: 2 ** 32 + 1_000 + i,
      id: `lnk_${i}`,
      workspace_no: 1,
      deleted_at: links.clock.ms + 1,
      folder_id: null,
      row,
    }))
    await links.storage.write(({ db }) => db.insertInto('deleted_links').values(later).execute())
    expect(await block('older')).toMatchObject({ link_id: id, value: 's.example/older' })
    expect(await links.restore(id)).toMatchObject({ status: 'blocked' })
  })

  test('exists once, and only for existing addresses', async () => {
    await links.create({ destination_url: URL_A, slug: 'bad' })
    await block('bad')
    expect(await refusal(block('S.example/BAD'))).toEqual(['ALREADY_BLOCKED'])
    expect(await refusal(block('lnk_nothing'))).toEqual(['LINK_NOT_FOUND'])
    expect(await refusal(block('elsewhere.example/bad'))).toEqual([
      'VALIDATION_FAILED',
      'value: UNKNOWN_DOMAIN',
    ])
  })

  test('that races with creations always ends with the address blocked', async () => {
    for (let round = 0; round < 20; round++) {
      const slug = `race${round}`
      const made = links.create({ destination_url: URL_A, slug, aliases: [`alias${round}`] })
      const outcomes = await Promise.allSettled(
        round % 2 === 0 ? [made, block(slug)] : [block(slug), made],
      )
      expect(await isBlocked(slug)).toBe(true)
      const created = outcomes[round % 2]
      // Either the creation is refused, or all of the link is blocked.
      if (created?.status === 'fulfilled') expect(await isBlocked(`alias${round}`)).toBe(true)
      else expect(created?.reason).toMatchObject({ details: [{ code: 'SLUG_BLOCKED' }] })
    }
  })

  test('that races with changes of the link blocks all of its addresses', async () => {
    for (let round = 0; round < 10; round++) {
      const { id } = await links.create({ destination_url: URL_A, slug: `from${round}` })
      await Promise.all([links.patch(id, { slug: `to${round}` }), block(id)])
      for (const slug of [`from${round}`, `to${round}`]) expect(await isBlocked(slug)).toBe(true)
    }
  })
})

describe('a block of more than one address', () => {
  const CASES = [
    ['destination_host', 'evil.example', { destination_url: 'https://www.evil.example:8443/x' }],
    ['host', 'go.example', { destination_url: URL_A, domain: 'go.example' }],
    ['workspace', 'wsp_1', { destination_url: URL_A }],
  ] as const

  test.each(CASES)('%s covers existing links until it is removed', async (kind, value, body) => {
    const link = await links.create(body)
    const free = await links.create(
      { destination_url: 'https://evil.example.org/evil.example/' },
      2,
    )
    const { id } = await block(value, kind)
    const row = {
      domain_no: kind === 'host' ? 1 : 0,
      workspace_no: 1,
      target_url: link.destination_url,
      slug_key: link.slug,
    }
    expect(blocks.list.covering(row)).toMatchObject({ id, reason: 'Phishing' })
    expect(blocks.list.covers(row.domain_no, 2 ** 32 + 1, row.target_url, row.slug_key)).toBe(true)
    for (const status of ['blocked', 'active']) {
      const { data, pagination } = await links.list({ status })
      const expected = status === 'blocked' ? [{ id: link.id, status }] : []
      expect(data).toMatchObject(expected)
      expect(pagination.total).toBe(expected.length)
    }
    expect((await links.list({ status: 'blocked' }, 2)).data).toEqual([])
    expect((await links.list({}, 2)).data).toMatchObject([{ id: free.id, status: 'active' }])
    await unblock(id)
    expect((await links.list()).data).toMatchObject([
      { id: link.id, status: 'active', block: null },
    ])
  })

  test('a destination on a blocked host is refused, also as a fallback', async () => {
    await block('*.Evil.example', 'destination_host')
    for (const host of ['evil.example', 'a.b.evil.example.', 'listed.example']) {
      for (const field of ['destination_url', 'fallback_url']) {
        const body = { destination_url: URL_A, [field]: `https://${host}/` }
        expect(await refusal(links.create(body))).toEqual([
          'VALIDATION_FAILED',
          `${field}: URL_BLOCKED`,
        ])
      }
    }
  })

  test('a host of the configuration is blocked without a reason', () => {
    const target_url = 'https://x.listed.example/'
    const row = { domain_no: 0, workspace_no: 1, target_url, slug_key: 'x' }
    expect(blocks.list.covering(row)).toEqual({ id: null, reason: null, at: null })
    expect(blocks.list.hasTarget('https://notlisted.example/')).toBe(false)
  })

  test('refuses values that are neither a host nor a workspace', async () => {
    for (const value of ['a b', 'evil.example/path', 'user@evil.example', 'evil.example:80']) {
      expect(await refusal(block(value, 'destination_host'))).toEqual([
        'VALIDATION_FAILED',
        'value: INVALID_VALUE',
      ])
    }
    expect(await refusal(block('unknown.example', 'host'))).toEqual([
      'VALIDATION_FAILED',
      'value: UNKNOWN_DOMAIN',
    ])
    expect(await refusal(block('wsp_none', 'workspace'))).toEqual(['WORKSPACE_NOT_FOUND'])
  })

  test('is in the audit log of the workspace, or of the instance', async () => {
    await block('wsp_2', 'workspace')
    const { id } = await block('evil.example', 'destination_host')
    await unblock(id)
    const entries = await links.storage.read.db
      .selectFrom('audit')
      .select(['seq', 'action', 'target_label', 'after'])
      .where('action', 'like', 'block.%')
      .orderBy('at')
      .execute()
    const logged = entries.map(({ seq, action, target_label }) => [
      Math.floor(seq / 2 ** 32),
      action,
      target_label,
    ])
    expect(logged.toSorted()).toEqual([
      [0, 'block.created', 'evil.example'],
      [0, 'block.removed', 'evil.example'],
      [2, 'block.created', 'wsp_2'],
    ])
  })
})

test('a list learns of a block made on another node', async () => {
  const { storage, service } = links
  const { domains } = service.rules
  const other = createBlockList({ storage, domains, hosts: [] })
  await other.refresh()
  await block('evil.example', 'destination_host')
  expect(other.hasHost('evil.example')).toBe(false)
  await other.refresh()
  expect(other.hasHost('evil.example')).toBe(true)
})

describe('an appeal', () => {
  const appeal = (id: string, workspaceNo = 1) =>
    links.storage.write((tx) =>
      blocks.service.appeal(
        tx,
        {
          workspace: { no: workspaceNo, plan: { limits: { links: null, addresses: null } } },
          actor: COMMAND_LINE,
        },
        blocks.list,
        id,
        'It is clean',
      ),
    )

  test('is accepted once for a blocked link of the workspace', async () => {
    const { id } = await links.create({ destination_url: URL_A, slug: 'bad' })
    expect(await refusal(appeal(id))).toEqual(['APPEAL_REFUSED'])
    await block('bad')
    expect(await refusal(appeal(id, 2))).toEqual(['LINK_NOT_FOUND'])
    await appeal(id)
    expect(await refusal(appeal(id))).toEqual(['APPEAL_REFUSED'])
    expect(await blocks.service.list(null, 10)).toMatchObject([
      {
        value: 's.example/bad',
        appeals: [{ workspace_id: 'wsp_1', link_id: id, text: 'It is clean' }],
      },
    ])
  })

  test('is accepted from each workspace whose links a host block covers', async () => {
    const made = [1, 2].map((no) => links.create({ destination_url: 'https://evil.example/' }, no))
    const [a, b] = await Promise.all(made)
    await block('evil.example', 'destination_host')
    await appeal(a?.id as string, 1)
    await appeal(b?.id as string, 2)
    const [only] = await blocks.service.list(null, 10)
    expect(only?.appeals.map(({ workspace_id }) => workspace_id).toSorted()).toEqual([
      'wsp_1',
      'wsp_2',
    ])
  })
})

test('reports take one row per address, deleted by a block', async () => {
  await links.create({ destination_url: URL_A, slug: 'bad' })
  for (const text of ['first', 'second']) await addReport(links, 0, 'bad', text)
  links.clock.ms -= 1
  await addReport(links, 0, 'other', 'x')
  const reported = async () =>
    (await blocks.reports.list(createCursors('a secret of ours'), { limit: 10 })).data
  expect(await reported()).toMatchObject([
    { address: 's.example/bad', times: 2, text: 'second' },
    { address: 's.example/other', times: 1 },
  ])
  await block('s.example/bad')
  await links.storage.write((tx) => blocks.reports.dismiss(tx, 's.example/other'))
  expect(await reported()).toEqual([])
})
