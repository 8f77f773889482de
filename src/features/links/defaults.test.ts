import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createTestLinks, type TestLinks } from './testing/links.ts'

let links: TestLinks
beforeAll(async () => {
  links = await createTestLinks()
})
afterAll(() => links.close())

const URL = 'https://example.com/'
const DEFAULTS = {
  enabled: true,
  redirect_status: 302,
  forward_query: false,
  match: 'exact',
  forward_path: false,
  tracking: 'full',
  archived: false,
  tags: [],
  aliases: [],
  rules: [],
  variants: [],
}
const NULLS = Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, null]))

test('null for a new link means absent', async () => {
  const made = await links.create({ ...NULLS, destination_url: URL, slug: null, domain: null })
  expect(made).toMatchObject(DEFAULTS)
  expect(made.slug).toHaveLength(7)
})

test('null in a change resets to the default', async () => {
  const { id } = await links.create({
    destination_url: URL,
    enabled: false,
    redirect_status: 308,
    forward_query: true,
    match: 'prefix',
    forward_path: true,
    tracking: 'count',
    archived: true,
    tags: ['a'],
    aliases: ['another'],
    variants: [
      { destination_url: URL, weight: 1 },
      { destination_url: `${URL}b`, weight: 1 },
    ],
  })
  expect(await links.patch(id, NULLS)).toMatchObject(DEFAULTS)
})
