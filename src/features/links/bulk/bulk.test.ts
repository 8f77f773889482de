import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { AppError } from '../../../lib/errors/index.ts'
import { testDialect } from '../../../platform/storage/testing/database.ts'
import { COMMAND_LINE } from '../../audit/index.ts'
import type { LinkWriter } from '../context.ts'
import type { Link } from '../schemas.ts'
import { createTestLinks, type TestLinks } from '../testing/links.ts'
import { expectConsistent } from '../testing/tables.ts'
import type { Outcome } from './run.ts'

const URL = 'https://example.com/'
const limits: { links: number | null; addresses: number | null } = { links: null, addresses: null }
const caller: LinkWriter = { workspace: { no: 1, plan: { limits } }, actor: COMMAND_LINE }

let links: TestLinks
beforeEach(async () => {
  links = await createTestLinks()
  limits.links = null
})
afterEach(() => links.close())

async function bulk(operations: unknown[], atomic = false): Promise<Outcome[]> {
  const { service, storage } = links
  const prepared = await service.bulk.prepare(caller, operations, { atomic })
  return storage.write((tx) => service.bulk.run(tx, caller, prepared, { atomic }), {
    workspaceNo: 1,
  })
}

/** The outcomes in short form. */
const short = (outcomes: readonly Outcome[]) =>
  outcomes.map((each) =>
    'error' in each
      ? `${each.status} ${each.error.code} ${each.error.details?.map(({ field, code }) => `${field} ${code}`)}`
      : `${each.status} ${each.link?.slug ?? ''}`.trim(),
  )

async function refusal(promise: Promise<unknown>): Promise<string[]> {
  const { code, details = [] } = (await promise.then(
    () => ({ code: 'none' }),
    (error) => error,
  )) as AppError
  return [code, ...details.map((detail) => `${detail.field} ${detail.code}`)]
}

const entries = () =>
  links.storage.read.db.selectFrom('audit').select(['action', 'target_id']).orderBy('seq').execute()

describe('independent operations', () => {
  test('of a key that only creates links tell nothing about the links that they name', async () => {
    const { id } = await links.create({ destination_url: URL, external_id: 'one' })
    const guesses = [{ status: 'active' }, { status: 'expired' }, { clicks: { total: 1 } }]
    const operations = guesses.flatMap((link) => [
      { op: 'update', id, link },
      { op: 'update', id: 'lnk_none', link },
      { op: 'upsert', external_id: 'one', link: { destination_url: URL, ...link } },
    ])
    const creating: LinkWriter = { ...caller, scopes: new Set(['links:create'] as const) }
    const { bulk } = links.service
    const prepared = await bulk.prepare(creating, operations, { atomic: false })
    const run = links.storage.write((tx) => bulk.run(tx, creating, prepared, { atomic: false }))
    const codes = (await run).map((each) => 'error' in each && each.error.code)
    expect(codes).toEqual(operations.map(() => 'INSUFFICIENT_SCOPE'))
  })

  test('of creations with the same address the first one gets it', async () => {
    const link = { destination_url: URL }
    const outcomes = await bulk([
      { op: 'create', link: { ...link, slug: 'same' } },
      { op: 'create', link: { ...link, slug: 'SAME' } },
      { op: 'create', link: { ...link, slug: 'other', aliases: ['one', 'Same'] } },
      { op: 'create', link: { ...link, slug: 'third', aliases: ['one'] } },
    ])
    expect(short(outcomes)).toEqual([
      '201 same',
      '409 SLUG_TAKEN operations[1].link.slug SLUG_TAKEN',
      '409 SLUG_TAKEN operations[2].link.aliases SLUG_TAKEN',
      '201 third',
    ])
    await expectConsistent(links)
  })

  test('every kind of operation, in order, with one audit entry each', async () => {
    const outcomes = await bulk([
      { op: 'create', link: { destination_url: URL, slug: 'a', external_id: 'x-1' } },
      { op: 'create', link: { destination_url: URL, slug: 'b' } },
      { op: 'update', external_id: 'x-1', if_match: 1, link: { title: 'A' } },
      { op: 'upsert', external_id: 'x-1', link: { destination_url: `${URL}1`, slug: 'c' } },
      { op: 'upsert', external_id: 'x-2', link: { destination_url: URL, slug: 'd' } },
      { op: 'delete', external_id: 'x-2' },
    ])
    expect(short(outcomes)).toEqual(['201 a', '201 b', '200 a', '200 c', '201 d', '204'])
    const list = await links.list({ sort: 'slug', order: 'asc' })
    expect(list.data.map(({ slug, title, aliases }) => [slug, title, aliases])).toEqual([
      ['b', null, []],
      ['c', 'A', ['a']],
    ])
    const actions = (await entries()).map(({ action }) => action)
    const created = 'link.created'
    const updated = 'link.updated'
    expect(actions).toEqual([created, created, updated, updated, created, 'link.deleted'])
    await expectConsistent(links)
  })

  test('a restore undoes the change of a link that wasn’t changed since, and a deletion', async () => {
    const some = []
    for (const slug of ['a', 'b', 'c'])
      some.push(await links.create({ destination_url: URL, slug }))
    const [a, b, c] = some as [Link, Link, Link]
    await bulk(
      some.map(({ id }) => ({ op: 'update', id, link: { title: 'New', slug: `${id}-x` } })),
    )
    await bulk([{ op: 'update', id: b.id, link: { notes: 'Later' } }])
    await bulk([{ op: 'delete', id: c.id }])
    const outcomes = await bulk([
      { op: 'restore', id: a.id, version: 1, if_match: 2 },
      { op: 'restore', id: b.id, version: 1, if_match: 2 },
      { op: 'restore', id: c.id },
      { op: 'restore', id: 'lnk_none', version: 1 },
      { op: 'restore', id: a.id, version: 9 },
      { op: 'restore', id: a.id, version: 0 },
      { op: 'restore', id: a.id, link: {} },
      { op: 'restore', external_id: 'x' },
    ])
    expect(short(outcomes)).toEqual([
      '200 a',
      '412 PRECONDITION_FAILED operations[1].if_match PRECONDITION_FAILED',
      `200 ${c.id}-x`,
      '404 LINK_NOT_FOUND operations[3].id LINK_NOT_FOUND',
      '422 VALIDATION_FAILED operations[4].version OUT_OF_RANGE',
      '422 VALIDATION_FAILED operations[5].version OUT_OF_RANGE',
      '422 VALIDATION_FAILED operations[6].link UNKNOWN_FIELD',
      '422 VALIDATION_FAILED operations[7].id REQUIRED,operations[7].external_id UNKNOWN_FIELD',
    ])
    const [restored] = outcomes
    expect(restored).toMatchObject({ link: { title: null, version: 3 } })
    expect((await entries()).slice(-2)).toEqual([
      { action: 'link.restored', target_id: a.id },
      { action: 'link.restored', target_id: c.id },
    ])
    for (let i = 0; i < 21; i++) await bulk([{ op: 'update', id: a.id, link: { title: `${i}` } }])
    expect(short(await bulk([{ op: 'restore', id: a.id, version: 3 }]))).toEqual([
      '422 VALIDATION_FAILED operations[0].version OUT_OF_RANGE',
    ])
    await expectConsistent(links)
  })

  test('one that is refused is rolled back and stops no other', async () => {
    const other = await links.create({ destination_url: URL, slug: 'theirs' }, 2)
    const outcomes = await bulk([
      { op: 'create', link: { destination_url: URL, slug: 'a', tags: ['t'] } },
      { op: 'create', link: { destination_url: URL, slug: 'A', tags: ['t'] } },
      { op: 'create', link: { destination_url: URL, slug: 'n', aliases: ['m', 'a'] } },
      { op: 'create', link: { destination_url: 'nowhere', slug: 'a b', tags: 'x' } },
      { op: 'update', id: other.id, link: { title: 'Mine' } },
      { op: 'delete', external_id: 'none' },
      { op: 'frobnicate' },
      { op: 'update', link: {} },
      { op: 'update', id: 'a', external_id: 'b', link: { nothing: 1 } },
      { op: 'upsert', external_id: 'x', link: { destination_url: URL, external_id: 'y' } },
      'delete',
      { op: 'create', link: { destination_url: URL, slug: 'm' } },
    ])
    expect(short(outcomes)).toEqual([
      '201 a',
      '409 SLUG_TAKEN operations[1].link.slug SLUG_TAKEN',
      '409 SLUG_TAKEN operations[2].link.aliases SLUG_TAKEN',
      '422 VALIDATION_FAILED operations[3].link.destination_url INVALID_URL,' +
        'operations[3].link.slug INVALID_SLUG,operations[3].link.tags INVALID_TYPE',
      '404 LINK_NOT_FOUND operations[4].id LINK_NOT_FOUND',
      '404 LINK_NOT_FOUND operations[5].external_id LINK_NOT_FOUND',
      '422 VALIDATION_FAILED operations[6].op INVALID_VALUE',
      '422 VALIDATION_FAILED operations[7].id REQUIRED',
      '422 VALIDATION_FAILED operations[8].link.nothing UNKNOWN_FIELD,' +
        'operations[8].external_id CONFLICTING_PARAMETERS',
      '422 VALIDATION_FAILED operations[9].link.external_id INVALID_VALUE',
      '422 VALIDATION_FAILED operations[10] INVALID_TYPE',
      '201 m',
    ])
    const [, taken] = outcomes
    expect(taken && 'error' in taken && taken.error.suggestions).toHaveLength(3)
    expect((await links.list()).pagination.total).toBe(2)
    expect((await entries()).filter(({ target_id }) => target_id !== other.id)).toHaveLength(2)
    await expectConsistent(links)
  })

  test('a plan’s limit refuses the excess operations', async () => {
    limits.links = 2
    const create = { op: 'create', link: { destination_url: URL } }
    const outcomes = await bulk([create, create, create, create])
    expect(outcomes.map(({ status }) => status)).toEqual([201, 201, 403, 403])
    expect(short(outcomes)[3]).toBe('403 PLAN_LIMIT_REACHED operations[3] LINKS_LIMIT')
  })

  test('an outdated version is refused with the field if_match', async () => {
    const { id } = await links.create({ destination_url: URL, slug: 'a' })
    const change = (if_match: unknown, title: string) => ({
      op: 'update',
      id,
      if_match,
      link: { title },
    })
    const outcomes = await bulk([
      change(1, 'A'),
      change('"2.abc"', 'B'),
      change('"1"', 'C'),
      change('*', 'D'),
      change('three', 'E'),
    ])
    expect(short(outcomes)).toEqual([
      '200 a',
      '200 a',
      '412 PRECONDITION_FAILED operations[2].if_match PRECONDITION_FAILED',
      '200 a',
      '422 VALIDATION_FAILED operations[4].if_match INVALID_HEADER',
    ])
    const removal = (if_match: unknown) => ({ op: 'delete', id, if_match })
    expect(short(await bulk([removal(3), removal(4)]))).toEqual([
      '412 PRECONDITION_FAILED operations[0].if_match PRECONDITION_FAILED',
      '204',
    ])
  })

  test('passwords are hashed, each distinct one once', async () => {
    let hashed = 0
    await links.close()
    links = await createTestLinks({
      hashPassword: async (password) => {
        hashed++
        return `hash of ${password}`
      },
    })
    const create = (slug: string, password: string | null) => ({
      op: 'create',
      link: { destination_url: URL, slug, password },
    })
    await bulk([create('a', 'one'), create('b', 'one'), create('c', 'two'), create('d', null)])
    const rows = await links.storage.read.db
      .selectFrom('links')
      .select('password_hash')
      .orderBy('seq')
      .execute()
    expect(rows.map((row) => row.password_hash)).toEqual([
      'hash of one',
      'hash of one',
      'hash of two',
      null,
    ])
    expect(hashed).toBe(2)
  })
})

describe('all or none', () => {
  test('reports all faults found by validation, and rolls back at the first later one', async () => {
    await links.create({ destination_url: URL, slug: 'taken' })
    const create = (slug: string) => ({ op: 'create', link: { destination_url: URL, slug } })
    expect(await refusal(bulk([create('a'), create('a b'), { op: 'delete' }], true))).toEqual([
      'BULK_FAILED',
      'operations[1].link.slug INVALID_SLUG',
      'operations[2].id REQUIRED',
    ])
    expect(await refusal(bulk([create('a'), create('taken'), create('b')], true))).toEqual([
      'BULK_FAILED',
      'operations[1].link.slug SLUG_TAKEN',
    ])
    expect((await links.list()).pagination.total).toBe(1)
    expect(short(await bulk([create('a'), create('b')], true))).toEqual(['201 a', '201 b'])
    await expectConsistent(links)
  })
})

describe('laws', () => {
  const externalId = fc.constantFrom('x', 'y', 'z')
  const fields = {
    destination_url: fc.constantFrom(URL, 'https://other.example/', 'nowhere'),
    slug: fc.constantFrom('a', 'b', 'c', 'd e'),
    title: fc.constantFrom('T', null),
    aliases: fc.uniqueArray(fc.constantFrom('a', 'f', 'g')),
    tags: fc.constantFrom(['t'], ['t', 'u'], []),
  }
  const link = fc.record(fields, { requiredKeys: ['destination_url'] })
  const operation = fc.oneof(
    fc.record({ op: fc.constant('create'), link }),
    fc.record({ op: fc.constant('upsert'), external_id: externalId, link }),
    fc.record({ op: fc.constant('update'), external_id: externalId, link }),
    fc.record({ op: fc.constant('delete'), external_id: externalId }),
  )
  const operations = fc.array(operation, { minLength: 1, maxLength: 12 })
  /** More of them than are attempted together, of which most, and often all, succeed. */
  const creations = fc.array(
    fc.record({
      op: fc.constant('create'),
      link: fc.record(
        {
          ...fields,
          slug: fc.integer({ min: 1, max: 200 }).map(String),
          aliases: fc.uniqueArray(fc.integer({ min: 201, max: 500 }).map(String), { maxLength: 1 }),
          tags: fc.uniqueArray(fc.constantFrom('t', 'U', 'v', 'W'), { maxLength: 3 }),
          external_id: fc.integer({ min: 1, max: 400 }).map(String),
        },
        { requiredKeys: ['destination_url'] },
      ),
    }),
    { minLength: 2, maxLength: 40 },
  )

  const unlessRandom = (slug: string) => (slug.length === 7 ? 'random' : slug)
  /** All links, without random values. */
  const state = async () =>
    (await links.list({ limit: '100' })).data
      .map(({ id, slug, aliases, short_url, created_at, updated_at, ...rest }) =>
        JSON.stringify({ ...rest, slugs: [slug, ...aliases].map(unlessRandom) }),
      )
      .sort()

  test('many together have the same effect as one after the other', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(operations, creations), async (all) => {
        const together = short(await bulk(all)).map((each) => each.slice(0, 3))
        const left = await state()
        await expectConsistent(links)
        await links.close()
        links = await createTestLinks()
        const apart: string[] = []
        for (const each of all) apart.push(short(await bulk([each]))[0]?.slice(0, 3) ?? '')
        expect(together).toEqual(apart)
        expect(left).toEqual(await state())
        await links.close()
        links = await createTestLinks()
      }),
      { numRuns: testDialect === 'sqlite' ? 25 : 8 },
    )
  })

  test('all or none has no effect, or that of independent operations', async () => {
    await fc.assert(
      fc.asyncProperty(operations, operations, async (first, second) => {
        await bulk(first)
        const before = await state()
        const refused = await refusal(bulk(second, true))
        if (refused[0] === 'BULK_FAILED') {
          expect(await state()).toEqual(before)
          expect((await bulk(second)).some((each) => 'error' in each)).toBe(true)
        } else {
          expect(refused).toEqual(['none'])
        }
        await expectConsistent(links)
        await links.close()
        links = await createTestLinks()
      }),
      { numRuns: testDialect === 'sqlite' ? 25 : 8 },
    )
  })
})
