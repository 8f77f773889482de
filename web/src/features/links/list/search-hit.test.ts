import { expect, test } from 'bun:test'
import type { Link } from '../queries.ts'
import { hiddenHit } from './search-hit.ts'

const link = {
  slug: 'summer',
  title: 'Summer sale',
  destination_url: 'https://example.com/a/rather/long/address/in/the/autumn?with=parameters',
  tags: ['newsletter', 'Poster'],
  external_id: 'crm-4711',
} as Link

test('visible matches need no extra line', () => {
  for (const query of [undefined, '', ' ', 'sum', 'SALE', 'nowhere']) {
    expect(hiddenHit(link, query)).toBeNull()
  }
})

test('hidden matches are shown with their context', () => {
  expect(hiddenHit(link, 'AUTUMN')).toMatchObject({
    field: 'links.field.destination',
    match: 'autumn',
    before: expect.stringMatching(/^….*\/the\/$/),
  })
  expect(hiddenHit(link, 'poster')).toMatchObject({ field: 'links.field.tags', match: 'Poster' })
  expect(hiddenHit(link, '4711')).toMatchObject({ before: 'crm-', match: '4711', after: '' })
})
