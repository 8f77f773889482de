import { expect, test } from 'bun:test'
import { filterQuery, filterText, parseFilters, withFilter } from './filters.ts'

test('filters survive the address, whatever is in their values', () => {
  const filters = parseFilters(['country:DE', '-referrer:a:b,c', 'utm_source:', 'browser:<b>\n'])
  expect(filters).toHaveLength(4)
  expect(parseFilters(filters.map(filterText))).toEqual(filters)
})

test('what is no filter is left out', () => {
  expect(parseFilters(['nonsense:1', 'country', '', '--country:DE'])).toEqual([])
})

test('the newer word about a value stands', () => {
  const [germany] = parseFilters(['country:DE'])
  if (germany === undefined) throw new Error('no filter')
  const filters = withFilter([germany], { ...germany, exclude: true })
  expect(filters).toEqual([{ ...germany, exclude: true }])
  expect(filterQuery(filters)).toEqual([['-country', 'DE']])
})
