import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { testDialect } from '../../platform/storage/testing/database.ts'
import type { Link } from './schemas.ts'
import { createTestLinks, refusal, type TestLinks } from './testing/links.ts'
import { expectConsistent, slugRow } from './testing/tables.ts'

const URL_A = 'https://a.example/'
const DAY_MS = 86_400_000

let links: TestLinks
beforeAll(async () => {
  links = await createTestLinks()
})
afterAll(() => links.close())

/** The restored properties of a link, without times and counts. */
function state({ version, updated_at, created_at, clicks, last_clicked_at, id, ...rest }: Link) {
  return rest
}

const slug = fc.constantFrom('ra', 'Rb', 'rc', 'rd', 're')
const patches = fc.record(
  {
    destination_url: fc.constantFrom(URL_A, 'https://b.example/%2B?q=ü#"'),
    slug,
    aliases: fc.uniqueArray(
      fc.oneof(
        slug,
        slug.map((name) => `go.example/${name}`),
      ),
      { maxLength: 3, selector: (alias) => alias.toLowerCase() },
    ),
    domain: fc.constantFrom('s.example', 'go.example'),
    title: fc.option(fc.constantFrom('one', 'two')),
    notes: fc.option(fc.constantFrom('a\nb', 'c')),
    tags: fc.constantFrom([], ['x'], ['x', 'Y']),
    external_id: fc.option(fc.constantFrom('e1', 'e2')),
    enabled: fc.boolean(),
    redirect_status: fc.constantFrom(301, 302, 307, 308),
    forward_query: fc.boolean(),
    starts_at: fc.option(fc.constantFrom('2020-01-01T00:00:00.000Z', '2040-01-01T00:00:00.000Z')),
    expires_at: fc.option(fc.constantFrom('2041-01-01T00:00:00.000Z')),
    max_clicks: fc.option(fc.integer({ min: 1, max: 9 })),
    fallback_url: fc.option(fc.constantFrom('https://f.example/a b')),
    rules: fc.constantFrom(
      [],
      [{ id: 'r', when: { country: ['DE'] }, then: { destination_url: 'https://de.example/' } }],
      [{ id: 'g', name: 'Gone', when: {}, then: { answer: 'gone' } }],
    ),
    variants: fc.constantFrom(
      [],
      [
        { id: 'a', destination_url: 'https://a.example/', weight: 1 },
        { id: 'b', destination_url: 'https://b.example/', weight: 3 },
      ],
    ),
    password: fc.option(fc.constantFrom('p', 'q')),
  },
  { requiredKeys: [] },
)
type Step = { kind: 'patch'; body: object } | { kind: 'delete' } | { kind: 'version'; of: number }
const steps = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: patches.map((body): Step => ({ kind: 'patch', body })) },
    { weight: 1, arbitrary: fc.constant<Step>({ kind: 'delete' }) },
    { weight: 1, arbitrary: fc.nat().map((of): Step => ({ kind: 'version', of })) },
  ),
  { minLength: 1, maxLength: 8 },
)

describe('restoring', () => {
  test('restores exactly the state of any version, whatever was done in between', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(), fc.boolean(), async (all, pick, deleted) => {
        const hash = async (id: string) =>
          (
            await links.storage.read.db
              .selectFrom('links')
              .select('password_hash')
              .where('id', '=', id)
              .executeTakeFirst()
          )?.password_hash
        let link = await links.create({ destination_url: URL_A })
        const { id } = link
        const known = new Map([[1, { link, hash: await hash(id) }]])
        for (const step of all) {
          if (step.kind === 'patch') link = await links.patch(id, step.body).catch(() => link)
          if (step.kind === 'version') {
            link = await links.restore(id, { version: 1 + (step.of % link.version) })
          }
          if (step.kind === 'delete') {
            await links.remove(id)
            link = await links.restore(id)
          }
          known.set(link.version, { link, hash: await hash(id) })
        }
        if (deleted) await links.remove(id)
        const version = 1 + (pick % link.version)
        const restored = await links.restore(id, { version })
        const then = known.get(version)
        expect<object>(state(restored)).toEqual(state(then?.link as Link))
        expect(await hash(id)).toBe(then?.hash as string | null)
        await expectConsistent(links)
        await links.remove(id)
      }),
      { numRuns: testDialect === 'sqlite' ? 60 : 12 },
    )
  }, 120_000)

  test('shows every change, and each step back restores the previous state', async () => {
    const { id } = await links.create({ destination_url: URL_A, slug: 'told', title: 'a' })
    await links.patch(id, { title: 'b', password: 'p' })
    await links.patch(id, { password: 'q' })
    await links.patch(id, {})
    await links.remove(id)
    await links.restore(id)
    const { data } = await links.history(id)
    expect(data.map(({ action, version, changes }) => [action, version, changes])).toEqual([
      ['link.restored', 4, {}],
      ['link.deleted', 3, {}],
      ['link.updated', 3, { has_password: { from: true, to: true } }],
      [
        'link.updated',
        2,
        { title: { from: 'a', to: 'b' }, has_password: { from: false, to: true } },
      ],
      [
        'link.created',
        1,
        {
          slug: { from: null, to: 'told' },
          destination_url: { from: null, to: URL_A },
          title: { from: null, to: 'a' },
        },
      ],
    ])
    const first = await links.history(id, { limit: 2 })
    const cursor = first.pagination.next_cursor ?? ''
    const rest = await links.history(id, { limit: 100, cursor })
    expect([...first.data, ...rest.data]).toEqual(data)
    const other = await links.create({ destination_url: URL_A })
    expect(await refusal(links.history(other.id, { limit: 2, cursor }))).toEqual([
      'BAD_REQUEST',
      'cursor: INVALID_CURSOR',
    ])
  })

  test('brings a deleted link back with its id, place, slugs, tags and clicks', async () => {
    const made = await links.create({
      destination_url: URL_A,
      slug: 'Undo',
      aliases: ['undo2', 'go.example/undo3'],
      tags: ['back'],
      title: 'findable again',
    })
    await links.count(made.id, { total: 7, lastClickedAt: links.clock.ms })
    await links.remove(made.id)
    expect((await links.list({ tag: 'back' })).data).toEqual([])
    links.clock.ms += 7 * DAY_MS - 1
    const back = await links.restore(made.id)
    expect(back).toMatchObject({ ...state(made), id: made.id, version: 2, clicks: { total: 7 } })
    expect(back.created_at).toBe(made.created_at)
    for (const [key, no] of [
      ['undo', 0],
      ['undo2', 0],
      ['undo3', 1],
    ] as const) {
      expect((await slugRow(links, key, no))?.target_url).toBe(URL_A)
    }
    expect((await links.list({ search: 'findable again', tag: 'back' })).data).toEqual([back])
    // A repetition changes nothing.
    expect(await links.restore(made.id)).toEqual(back)
    await expectConsistent(links)
  })

  test('is impossible after seven days, like the history', async () => {
    const { id } = await links.create({ destination_url: URL_A, slug: 'late', password: 'p' })
    await links.patch(id, { password: null })
    const { seq } = await links.storage.read.db
      .selectFrom('links')
      .select('seq')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    await links.remove(id)
    expect((await links.history(id)).data).toHaveLength(3)
    links.clock.ms += 7 * DAY_MS
    expect(await refusal(links.restore(id))).toEqual(['LINK_NOT_FOUND'])
    expect(await refusal(links.history(id))).toEqual(['LINK_NOT_FOUND'])
    await links.service.purgeDeleted()
    const { db } = links.storage.read
    expect(await db.selectFrom('deleted_links').selectAll().execute()).toEqual([])
    const passwords = db.selectFrom('link_passwords').selectAll().where('link_seq', '=', seq)
    expect(await passwords.execute()).toEqual([])
    // The slug stays reserved for the workspace.
    const body = { destination_url: URL_A, slug: 'late' }
    expect(await refusal(links.create(body, 2))).toEqual(['SLUG_TAKEN'])
    await links.create(body)
  })

  test('is refused when the slug, an alias or the external id was taken in the meantime', async () => {
    const made = { destination_url: URL_A, slug: 'mine', aliases: ['mine2'], external_id: 'x9' }
    const { id } = await links.create(made)
    await links.remove(id)
    const main = await links.create({ destination_url: URL_A, slug: 'MINE' })
    expect(await refusal(links.restore(id))).toEqual(['SLUG_TAKEN'])
    await links.patch(main.id, { slug: 'other', aliases: ['MINE2'] })
    expect(await refusal(links.restore(id))).toEqual(['SLUG_TAKEN', 'aliases: SLUG_TAKEN'])
    await links.patch(main.id, { aliases: [], external_id: 'x9' })
    expect(await refusal(links.restore(id))).toEqual(['EXTERNAL_ID_TAKEN'])
    await links.patch(main.id, { external_id: null })
    expect((await links.restore(id)).slug).toBe('mine')
    await expectConsistent(links)
  })

  test('counts towards the plan', async () => {
    const { id } = await links.create({ destination_url: URL_A })
    await links.remove(id)
    const { total } = (await links.list()).pagination
    links.setLimit(total)
    expect(await refusal(links.restore(id))).toEqual(['PLAN_LIMIT_REACHED', 'links: LINKS_LIMIT'])
    links.setLimit(total + 1)
    await links.restore(id)
    links.setLimit(null)
    await expectConsistent(links)
  })

  test('validates the earlier state like an update', async () => {
    const link = await links.create({ destination_url: URL_A, slug: 'state' })
    await links.patch(link.id, { slug: 'state2', aliases: [] })
    const other = await links.create({ destination_url: URL_A, slug: 'state' })
    expect(await refusal(links.restore(link.id, { version: 1 }))).toEqual(['SLUG_TAKEN'])
    await links.remove(other.id)
    expect((await links.restore(link.id, { version: 1 })).slug).toBe('state')
    for (const version of [99, 4]) {
      expect(await refusal(links.restore(link.id, { version }))).toEqual([
        'VALIDATION_FAILED',
        'version: OUT_OF_RANGE',
      ])
    }
    expect(await refusal(links.restore(link.id, { version: 1, ifVersion: 1 }))).toEqual([
      'PRECONDITION_FAILED',
    ])
    expect(await refusal(links.restore(link.id, { workspaceNo: 2 }))).toEqual(['LINK_NOT_FOUND'])
  })

  test('keeps a block, and supports versions older than the audit log', async () => {
    const { id } = await links.create({ destination_url: URL_A, title: 'a' })
    await links.patch(id, { title: 'b' })
    await links.setBlocked(id, true)
    expect(await links.restore(id, { version: 1 })).toMatchObject({
      title: 'a',
      status: 'blocked',
      version: 4,
    })
    await links.remove(id)
    expect(await links.restore(id)).toMatchObject({ status: 'blocked' })
    await links.storage.write((tx) =>
      tx.db.deleteFrom('audit').where('target_id', '=', id).where('version', '<=', 2).execute(),
    )
    expect(await links.restore(id, { version: 2 })).toMatchObject({ title: 'b' })
    const error = await links.restore(id, { version: 1 }).catch((reason) => reason)
    expect(error.details).toEqual([
      { field: 'version', code: 'OUT_OF_RANGE', params: { min: 2, max: 6 } },
    ])
  })

  test('keeps a block made after the deletion, by id and by slug', async () => {
    const { id } = await links.create({ destination_url: URL_A, slug: 'Bad-one', aliases: ['b-2'] })
    const block = (name: string, blocked: boolean) => links.setBlocked(name, blocked)
    await links.remove(id)
    expect(await block(id, true)).toBe(id)
    expect(await block('bad-ONE', false)).toMatch(/^blk_/)
    expect(await block('s.example/B-2', true)).toBe(id)
    expect(await block('go.example/b-2', true)).toBeNull()
    expect(await links.restore(id)).toMatchObject({ status: 'blocked', version: 5 })
    expect(await slugRow(links, 'b-2')).toMatchObject({ block_id: expect.stringMatching(/^blk_/) })
  })

  test('in a race with changes, deletions and creations one of them wins', async () => {
    for (let round = 0; round < 10; round++) {
      const link = await links.create({ destination_url: URL_A, slug: `race${round}` })
      await links.remove(link.id)
      const outcomes = await Promise.allSettled([
        links.restore(link.id),
        links.create({ destination_url: URL_A, slug: `race${round}` }),
        links.restore(link.id),
      ])
      const done = outcomes.map(({ status }) => status === 'fulfilled')
      expect([
        [true, false, true],
        [false, true, false],
      ]).toContainEqual(done)
      const again = await links.create({ destination_url: URL_A })
      await Promise.allSettled([
        links.patch(again.id, { title: 'x' }),
        links.remove(again.id),
        links.restore(again.id, { version: 1 }),
        links.patch(again.id, { title: 'y' }),
        links.remove(again.id),
        links.restore(again.id),
      ])
      await expectConsistent(links)
    }
  })
})
