import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { testDialect } from '../../platform/storage/testing/database.ts'
import type { Link } from './schemas.ts'
import { createTestLinks } from './testing/links.ts'

const text = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
  .filter((value) => !/\p{Cc}/u.test(value) && value.isWellFormed())
const patches = fc.record(
  {
    destination_url: fc.constantFrom('https://a.example/', 'https://b.example/%2B?q=ü#"'),
    title: fc.option(text),
    notes: fc.option(text),
    enabled: fc.boolean(),
    forward_query: fc.boolean(),
    redirect_status: fc.constantFrom(301, 302, 307, 308),
    max_clicks: fc.option(fc.integer({ min: 1 })),
    starts_at: fc.option(fc.constantFrom('2020-01-01T00:00:00.000Z', '2040-01-01T00:00:00.000Z')),
    expires_at: fc.option(fc.constantFrom('2041-01-01T00:00:00.000Z', '2050-01-01T00:00:00.000Z')),
    fallback_url: fc.option(fc.constantFrom('https://f.example/a b', 'https://f.example')),
    tags: fc.constantFrom([], ['a'], ['a', 'b']),
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
  },
  { requiredKeys: [] },
)

/** What a merge patch can change, without the version. */
function content({ version, updated_at, status, ...rest }: Link) {
  return rest
}

test('a merge patch replaces what it names, and nothing else', async () => {
  const links = await createTestLinks()
  let { id } = await links.create({ destination_url: 'https://a.example/' })
  let before = await links.patch(id, {})
  await fc.assert(
    fc.asyncProperty(patches, patches, async (first, second) => {
      const after = await links.patch(id, first)
      expect<object>(content(after)).toEqual({ ...content(before), ...first })
      // Again without effect, even on the version.
      expect(await links.patch(id, first)).toEqual(after)
      const changed = JSON.stringify(content(after)) !== JSON.stringify(content(before))
      expect(after.version).toBe(before.version + Number(changed))
      // Two patches in a row have the effect of both combined.
      const both = await links.patch(id, second)
      const twin = await links.create({ destination_url: 'https://a.example/' })
      await links.patch(twin.id, pick(before))
      const merged = await links.patch(twin.id, { ...first, ...second })
      expect(pick(merged)).toEqual(pick(both))
      before = both
      id = both.id
    }),
    { numRuns: testDialect === 'sqlite' ? 60 : 12 },
  )
  await links.close()
}, 120_000)

function pick(link: Link) {
  const { destination_url, title, notes, enabled, forward_query, redirect_status, tags } = link
  const { max_clicks, starts_at, expires_at, fallback_url, rules, variants } = link
  return {
    destination_url,
    title,
    notes,
    enabled,
    forward_query,
    redirect_status,
    tags,
    max_clicks,
    starts_at,
    expires_at,
    fallback_url,
    rules,
    variants,
  }
}
