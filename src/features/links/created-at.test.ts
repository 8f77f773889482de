import { afterEach, beforeEach, expect, test } from 'bun:test'
import fc from 'fast-check'
import { validate } from '../../http/index.ts'
import { testDialect } from '../../platform/storage/testing/database.ts'
import { COMMAND_LINE } from '../audit/index.ts'
import type { LinkWriter } from './context.ts'
import { createLinkSchemas } from './fields.ts'
import { createListQuerySchema } from './list-query.ts'
import type { Link } from './schemas.ts'
import { createTestLinks, type TestLinks } from './testing/links.ts'

const limits = { links: null, addresses: null }
const caller: LinkWriter = { workspace: { no: 1, plan: { limits } }, actor: COMMAND_LINE }
const DAY_MS = 86_400_000
const iso = (ms: number) => new Date(ms).toISOString()

let links: TestLinks
beforeEach(async () => {
  // So few that pages are read from the sort's index, too.
  links = await createTestLinks({ few: 3 })
})
afterEach(() => links.close())

/** Creates a link as an import does. */
async function bring(slug: string, created_at?: number, body: object = {}): Promise<Link> {
  const { service, storage } = links
  const all = { destination_url: 'https://example.com/', slug, ...body }
  const prepared = await service.prepareCreate(
    caller,
    validate(createLinkSchemas(service.rules).create, all),
  )
  return storage.write((tx) => service.create(tx, caller, { ...prepared, created_at }), {
    workspaceNo: 1,
  })
}

async function walked(query: Record<string, string>): Promise<string[]> {
  const slugs: string[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await links.list({ ...query, limit: '3', ...(cursor && { cursor }) })
    slugs.push(...page.data.map(({ slug }) => slug))
    cursor = page.pagination.next_cursor
    if (cursor === null) expect(page.pagination.total).toBe(slugs.length)
  }
  return slugs
}

test('the date is the link’s; its history tells when it came', async () => {
  const then = links.clock.ms - 400 * DAY_MS
  const link = await bring('old', then)
  expect([link.created_at, link.updated_at]).toEqual([iso(then), iso(links.clock.ms)])
  const { data } = await links.history(link.id)
  expect(data[0]?.created_at).toBe(iso(links.clock.ms))
  expect(data[0]?.changes.created_at).toEqual({ from: null, to: iso(then) })
  expect((await links.patch(link.id, { title: 'T' })).created_at).toBe(iso(then))
  await links.remove(link.id)
  expect((await links.restore(link.id)).created_at).toBe(iso(then))
  // Links created here afterwards have the time of the clock.
  expect((await links.create({ destination_url: 'https://example.com/' })).created_at).toBe(
    iso(links.clock.ms),
  )
})

test('lists sort, filter, page and count by it, whatever the order of insertion', async () => {
  let run = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.option(fc.integer({ min: 0, max: 9 }), { nil: undefined, freq: 3 }), {
        minLength: 1,
        maxLength: 14,
      }),
      fc.integer({ min: 0, max: 10 }),
      fc.integer({ min: 0, max: 10 }),
      async (days, from, until) => {
        const start = links.clock.ms - 10 * DAY_MS
        const name = `run${++run}`
        const made: { slug: string; at: number; n: number }[] = []
        for (const [n, day] of days.entries()) {
          const at = day === undefined ? undefined : start + day * DAY_MS
          const slug = `${name}-${n}`
          const link = await bring(slug, at, { tags: [name] })
          made.push({ slug, at: Date.parse(link.created_at), n })
          links.clock.ms += 1
        }
        const [low, high] = [start + from * DAY_MS, start + until * DAY_MS]
        const sorted = made.sort((a, b) => a.at - b.at || a.n - b.n)
        const within = sorted.filter(({ at }) => at >= low && at < high)
        const slugs = (some: typeof made) => some.map(({ slug }) => slug)
        const bounds = { created_after: iso(low), created_before: iso(high) }
        for (const narrow of [{ tag: name }, { search: `${name}-` }]) {
          expect(await walked({ ...narrow, order: 'asc' })).toEqual(slugs(sorted))
          expect(await walked(narrow)).toEqual(slugs(sorted).reverse())
          expect(await walked({ ...narrow, ...bounds, order: 'asc' })).toEqual(slugs(within))
          const bySlug = await walked({ ...narrow, ...bounds, sort: 'slug' })
          expect(bySlug.sort()).toEqual(slugs(within).sort())
        }
        // Without another filter, the pages come from the index.
        const all = await walked({ ...bounds, order: 'asc' })
        expect(all.filter((slug) => slug.startsWith(`${name}-`))).toEqual(slugs(within))
        for (const { id } of (await links.list({ tag: name, limit: '100' })).data) {
          await links.remove(id)
        }
      },
    ),
    { numRuns: testDialect === 'sqlite' ? 30 : 6 },
  )
})

test('a change by filter finds those within the times only', async () => {
  const { service } = links
  const start = links.clock.ms
  for (let n = 0; n < 8; n++) await bring(`n${n}`, start - (n + 1) * DAY_MS)
  const query = validate(createListQuerySchema(service.rules), {
    created_before: iso(start - 6 * DAY_MS),
  })
  const filter = { created_before: query.created_before }
  const found = await service.countFound(caller, filter)
  expect(found.total).toBe(2)
  expect(await service.nextFound(caller, filter, found, 100)).toHaveLength(2)
})
