import { expect, test } from 'bun:test'
import { filterText, parameterOf, parseFilters, withFilter } from './filters.ts'

test('filters survive the address, whatever is in their values', () => {
  const filters = parseFilters(['country:DE', 'not_referrer:a:b,c', 'utm_source:', 'browser:<b>\n'])
  expect(filters).toHaveLength(4)
  expect(parseFilters(filters.map(filterText))).toEqual(filters)
})

test('what is no filter is left out', () => {
  expect(
    parseFilters(['nonsense:1', 'country', '', '-country:DE', 'not_not_country:DE', 'kind:bot']),
  ).toEqual([])
})

test('the newer word about a value stands', () => {
  const [germany] = parseFilters(['country:DE'])
  if (germany === undefined) throw new Error('no filter')
  const excluded = { ...germany, exclude: true }
  expect(withFilter([germany], excluded)).toEqual([excluded])
  expect([germany, excluded].map(parameterOf)).toEqual(['country', 'not_country'])
})
