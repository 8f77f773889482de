import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { validate } from '../../http/index.ts'
import type { AppError } from '../../lib/errors/index.ts'
import { rehearse } from '../../platform/storage/index.ts'
import { COMMAND_LINE } from '../audit/index.ts'
import type { LinkWriter } from './context.ts'
import { createLinkSchemas } from './fields.ts'
import { createTestLinks, type TestLinks } from './testing/links.ts'
import { expectConsistent } from './testing/tables.ts'

const URL_A = 'https://example.com/a?x=1'
const limits: { links: number | null; addresses: number | null } = { links: null, addresses: null }
const caller: LinkWriter = { workspace: { no: 1, plan: { limits } }, actor: COMMAND_LINE }

let links: TestLinks
beforeEach(async () => {
  links = await createTestLinks()
  limits.links = null
})
afterEach(() => links.close())

async function findOrCreate(body: object, who = caller) {
  const { service, storage } = links
  const fields = validate(createLinkSchemas(service.rules).create, body)
  const prepared = await service.prepareCreate(who, fields, 'return')
  return storage.write((tx) => service.findOrCreate(tx, who, prepared, 'return'), {
    workspaceNo: 1,
  })
}

const total = async (query: Record<string, string> = {}) =>
  (await links.list({ archived: 'any', ...query })).pagination.total
const countEntries = async () =>
  (await links.storage.read.db.selectFrom('audit').select('seq').execute()).length

describe('find or create', () => {
  test('fifty at the same moment make one', async () => {
    const found = await Promise.all(
      Array.from({ length: 50 }, () => findOrCreate({ destination_url: URL_A, tags: ['T'] })),
    )
    expect(found.filter(({ isNew }) => isNew)).toHaveLength(1)
    expect(new Set(found.map(({ link }) => link.id)).size).toBe(1)
    expect(await total()).toBe(1)
    expect(await countEntries()).toBe(1)
    await expectConsistent(links)
  })

  test('the newest with every given field, in their serialised destination', async () => {
    const base = { destination_url: 'https://example.com/a?x=1' }
    const old = await links.create({ ...base, title: 'T', tags: ['b', 'A'], aliases: ['x', 'y'] })
    const newer = await links.create({ ...base, domain: 'go.example', title: 'T', tags: ['a'] })
    const newest = await links.create({ ...base, slug: 'Own', social: { title: 'S' } })
    const id = async (body: object) => (await findOrCreate({ ...base, ...body })).link.id
    expect(await id({ destination_url: 'HTTPS://EXAMPLE.com:443/a?x=1' })).toBe(newest.id)
    expect(await id({ title: 'T' })).toBe(old.id)
    expect(await id({ title: 'T', notes: null, domain: null })).toBe(old.id)
    expect(await id({ tags: ['a', 'B'] })).toBe(old.id)
    expect(await id({ aliases: ['Y', 'x'] })).toBe(old.id)
    expect(await id({ domain: 'go.example' })).toBe(newer.id)
    expect(await id({ slug: 'OWN' })).toBe(newest.id)
    expect(await id({ social: { title: 'S' } })).toBe(newest.id)
    expect(await total()).toBe(3)
    const others = [
      { title: 'U' },
      { tags: ['a'] },
      { tags: ['nowhere'] },
      { aliases: ['x', 'z'] },
      { slug: 'other' },
      { external_id: 'e' },
      { redirect_status: 301 },
      { utm: { source: 's' } },
      { rules: [{ when: { country: ['DE'] }, then: { answer: 'gone' } }] },
    ]
    const outcomes = []
    for (const [i, other] of others.entries()) {
      const body = other.aliases ? { ...base, aliases: [`x${i}`] } : { ...base, ...other }
      outcomes.push((await findOrCreate(body)).isNew, (await findOrCreate(body)).isNew)
    }
    expect(outcomes).toEqual(others.flatMap(() => [true, false]))
    await expectConsistent(links)
  })

  test('no link of a hidden folder or another workspace, and no limit is used', async () => {
    await links.create({ destination_url: URL_A }, 2)
    await links.storage.write(({ db }) =>
      db
        .insertInto('folders')
        .values({
          id: 'fld_1',
          workspace_no: 1,
          name: 'F',
          name_key: 'f',
          access: 'members',
          created_at: 1,
          updated_at: 1,
          version: 1,
        })
        .execute(),
    )
    const hidden = await links.create({ destination_url: URL_A, folder_id: 'fld_1' })
    limits.links = 2
    const outsider = { ...caller, hiddenFolders: ['fld_1'] }
    const { link, isNew } = await findOrCreate({ destination_url: URL_A }, outsider)
    expect([isNew, link.id === hidden.id]).toEqual([true, false])
    expect((await findOrCreate({ destination_url: URL_A }, outsider)).link.id).toBe(link.id)
    const inFolder = { destination_url: URL_A, folder_id: 'fld_1' }
    expect((await findOrCreate(inFolder)).link.id).toBe(hidden.id)
    const refused = (await findOrCreate({ destination_url: `${URL_A}2` }).catch(
      (e) => e,
    )) as AppError
    expect(refused.code).toBe('PLAN_LIMIT_REACHED')
  })

  test('a password can’t be compared', async () => {
    const refused = (await findOrCreate({ destination_url: URL_A, password: 'p' }).catch(
      (error) => error,
    )) as AppError
    expect(refused.details).toEqual([
      { field: 'password', code: 'CONFLICTING_PARAMETERS', params: { other: 'if_exists' } },
    ])
  })

  test('bulk operations and rehearsals', async () => {
    const { service, storage } = links
    const create = { op: 'create', link: { destination_url: URL_A } }
    const options = { atomic: false, if_exists: 'return' } as const
    const prepared = await service.bulk.prepare(caller, [create, create, create], options)
    const run = (tx: Parameters<typeof service.bulk.run>[0]) =>
      service.bulk.run(tx, caller, prepared, options)
    const statuses = (outcomes: { status: number }[]) => outcomes.map(({ status }) => status)
    const rehearsed = await rehearse(storage, run, { workspaceNo: 1 })
    expect(statuses(rehearsed)).toEqual([201, 200, 200])
    expect(await total()).toBe(0)
    expect(statuses(await storage.write(run, { workspaceNo: 1 }))).toEqual([201, 200, 200])
    expect(statuses(await storage.write(run, { workspaceNo: 1 }))).toEqual([200, 200, 200])
    expect(await total()).toBe(1)
  })
})

test('the filter by destination', async () => {
  const slugs = async (query: Record<string, string>) =>
    (await links.list(query)).data.map(({ slug }) => slug)
  await links.create({ destination_url: 'https://example.com', slug: 'a' })
  await links.create({ destination_url: 'HTTPS://example.com:443/', slug: 'b', tags: ['t'] })
  await links.create({ destination_url: 'https://example.com/b', slug: 'c' })
  await links.create({ destination_url: 'https://example.com/' }, 2)
  const destination_url = 'https://EXAMPLE.com'
  expect(await slugs({ destination_url })).toEqual(['b', 'a'])
  expect(await slugs({ destination_url, tag: 't', sort: 'slug' })).toEqual(['b'])
  expect(await slugs({ destination_url: 'https://none.example/' })).toEqual([])
  const refused = (await slugs({ destination_url: 'no url' }).catch((e) => e)) as AppError
  expect(refused.details?.map(({ field, code }) => `${field} ${code}`)).toEqual([
    'destination_url INVALID_URL',
  ])
  await links.patch((await links.list({ slug: 'c' })).data[0]?.id ?? '', {
    destination_url: 'https://example.com',
  })
  expect(await slugs({ destination_url })).toEqual(['c', 'b', 'a'])
})
