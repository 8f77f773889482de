import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { Transaction } from '../../platform/storage/index.ts'
import { COMMAND_LINE } from '../audit/index.ts'
import { createTestLinks, refusal, type TestLinks } from './testing/links.ts'

const URL_A = 'https://a.example/'
const password = 'a long password'

let links: TestLinks
let hashed: number

beforeEach(async () => {
  hashed = 0
  links = await createTestLinks({
    async hashPassword() {
      hashed++
      return 'hash'
    },
  })
})

afterEach(() => links.close())

test('a password is hashed only when nothing else refuses the request', async () => {
  const first = await links.create({ destination_url: URL_A, slug: 'a', external_id: '1' })
  const second = await links.create({ destination_url: URL_A })
  const make = (body: object) => links.create({ destination_url: URL_A, password, ...body })
  const change = (body: object) => links.patch(second.id, { password, ...body })
  const refused: [() => Promise<unknown>, string][] = [
    [() => make({ slug: 'a' }), 'SLUG_TAKEN'],
    [() => make({ external_id: '1' }), 'EXTERNAL_ID_TAKEN'],
    [() => change({ slug: 'a' }), 'SLUG_TAKEN'],
    [() => change({ external_id: '1' }), 'EXTERNAL_ID_TAKEN'],
    [() => links.patch('lnk_none', { password }), 'LINK_NOT_FOUND'],
    [() => links.patch(first.id, { password }, { workspaceNo: 2 }), 'LINK_NOT_FOUND'],
    [() => links.patch(first.id, { password }, { version: 7 }), 'PRECONDITION_FAILED'],
  ]
  for (const [ask, code] of refused) expect((await refusal(ask()))[0]).toBe(code)
  links.setLimit(2)
  expect(await refusal(make({}))).toEqual(['PLAN_LIMIT_REACHED', 'links: LINKS_LIMIT'])
  expect(hashed).toBe(0)

  links.setLimit(3)
  expect((await make({ slug: 'b' })).has_password).toBe(true)
  expect((await change({ title: 'x' })).version).toBe(2)
  expect(hashed).toBe(2)
  // The trial was rolled back.
  expect((await links.history(second.id)).data).toHaveLength(2)
  expect((await links.list()).data).toHaveLength(3)
})

test('a bulk request hashes only passwords of accepted operations', async () => {
  await links.create({ destination_url: URL_A, slug: 'a' })
  const create = (slug: string, own: string) => ({
    op: 'create',
    link: { destination_url: URL_A, slug, password: own },
  })
  const { service, storage } = links
  const plan = { limits: { links: 3, addresses: null } }
  const caller = { workspace: { no: 1, plan }, actor: COMMAND_LINE }
  const bulk = async (operations: unknown[], atomic: boolean) => {
    const prepared = await service.bulk.prepare(caller, operations, { atomic })
    const run = (tx: Transaction) => service.bulk.run(tx, caller, prepared, { atomic })
    return (await storage.write(run, { workspaceNo: 1 })).map(({ status }) => status)
  }
  const taken = create('a', 'the first password')
  expect((await refusal(bulk([taken, create('b', password)], true)))[0]).toBe('BULK_FAILED')
  expect(hashed).toBe(0)
  const all = [taken, create('b', password), create('c', password), create('d', 'too many links')]
  expect(await bulk(all, false)).toEqual([409, 201, 201, 403])
  // The same password is hashed once.
  expect(hashed).toBe(1)
  expect((await links.list()).data.map(({ has_password }) => has_password)).toEqual([
    true,
    true,
    false,
  ])
})
