import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createTestLinks, refusal, type TestLinks } from './testing/links.ts'
import { slugRow } from './testing/tables.ts'

let links: TestLinks
beforeAll(async () => {
  links = await createTestLinks()
})
afterAll(() => links.close())

const URL = 'https://a.example/'
const RULE = {
  id: 'ios',
  name: 'iPhones',
  when: { os: ['iOS'], not_country: ['US'] },
  then: { destination_url: 'https://apps.example/ä' },
}
const VARIANTS = [
  { id: 'a', name: 'Old page', destination_url: 'https://a.example/old', weight: 9 },
  { id: 'b', destination_url: 'https://a.example/new', weight: 1 },
]

test('are returned as written, and cleared by null or an empty list', async () => {
  const link = await links.create({ destination_url: URL, rules: [RULE], variants: VARIANTS })
  expect(link).toMatchObject({ rules: [RULE], variants: VARIANTS })
  expect(Object.keys(link.rules[0] ?? {})).toEqual(['id', 'name', 'when', 'then'])
  const { data } = await links.list()
  expect(data[0]).toMatchObject({ rules: [RULE], variants: VARIANTS })
  // The same again changes nothing.
  const same = await links.patch(link.id, { rules: link.rules, variants: link.variants })
  expect(same.version).toBe(link.version)
  for (const none of [null, []]) {
    await links.patch(link.id, { rules: [RULE], variants: VARIANTS })
    const cleared = await links.patch(link.id, { rules: none, variants: none })
    expect(cleared).toMatchObject({ rules: [], variants: [] })
  }
  expect(await links.create({ destination_url: URL, rules: null })).toMatchObject({ rules: [] })
})

test('make the redirect read the link’s row, which other links don’t need', async () => {
  const specialOf = async (slug: string) => (await slugRow(links, slug))?.special
  await links.create({ destination_url: URL, slug: 'plain', rules: [], variants: [] })
  await links.create({ destination_url: URL, slug: 'ruled', rules: [RULE] })
  await links.create({ destination_url: URL, slug: 'split', variants: VARIANTS })
  expect(await Promise.all(['plain', 'ruled', 'split'].map(specialOf))).toEqual([0, 1, 1])
})

test('are part of the history, and restored with a version or after a deletion', async () => {
  const link = await links.create({ destination_url: URL, rules: [RULE] })
  await links.patch(link.id, { rules: [], variants: VARIANTS })
  const { data } = await links.history(link.id)
  expect(data[0]?.changes).toEqual({
    rules: { from: [RULE], to: [] },
    variants: { from: [], to: VARIANTS },
  })
  await links.remove(link.id)
  expect(await links.restore(link.id)).toMatchObject({ rules: [], variants: VARIANTS })
  const first = await links.restore(link.id, { version: 1 })
  expect(first).toMatchObject({ rules: [RULE], variants: [] })
})

describe('every destination', () => {
  const inRule = (destination_url: string) => ({
    rules: [{ when: {}, then: { destination_url } }],
  })
  const inSplit = (destination_url: string) => ({
    variants: [...VARIANTS, { destination_url, weight: 1 }],
  })
  const inBoth = (url: string) => ({ rules: [{ when: {}, then: inSplit(url) }] })
  const cases: [string, string][] = [
    ['https://s.example/x', 'URL_LOOPS_BACK'],
    ['https://sub.blocked.example/', 'URL_BLOCKED'],
    ['https://u:p@a.example/', 'URL_HAS_CREDENTIALS'],
    ['javascript:alert(1)', 'URL_SCHEME_NOT_ALLOWED'],
    [`https://a.example/${'x'.repeat(8_192)}`, 'TOO_LONG'],
  ]
  test.each(cases)('is validated like the link’s: %s', async (url, code) => {
    const faults = []
    for (const body of [inRule(url), inSplit(url), inBoth(url)]) {
      faults.push(await refusal(links.create({ destination_url: URL, ...body })))
    }
    expect(faults).toEqual([
      ['VALIDATION_FAILED', `rules[0].then.destination_url: ${code}`],
      ['VALIDATION_FAILED', `variants[2].destination_url: ${code}`],
      ['VALIDATION_FAILED', `rules[0].then.variants[2].destination_url: ${code}`],
    ])
  })
})
