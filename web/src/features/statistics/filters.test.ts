import { expect, test } from 'bun:test'
import { filterText, parameterOf, parseFilters, withFilter } from './filters.ts'

test('filters survive the URL, whatever is in their values', () => {
  const filters = parseFilters(['country:DE', 'not_referrer:a:b,c', 'utm_source:', 'browser:<b>\n'])
  expect(filters).toHaveLength(4)
  expect(parseFilters(filters.map(filterText))).toEqual(filters)
})

test('there may be several tags but only one folder, neither excluded nor empty', () => {
  const [spring, folder] = parseFilters(['tag:spring', 'folder:fld_1', 'not_tag:x', 'tag:'])
  if (spring === undefined || folder === undefined) throw new Error('no filters')
  const other = { ...folder, value: 'fld_2' }
  expect(withFilter([spring, folder], other)).toEqual([spring, other])
  expect(withFilter([spring], { ...spring, value: 'x' })).toHaveLength(2)
  expect(parseFilters(['tag:spring', 'not_folder:fld_1', 'folder:'])).toEqual([spring])
})

test('invalid filters are ignored', () => {
  expect(
    parseFilters(['nonsense:1', 'country', '', '-country:DE', 'not_not_country:DE', 'kind:bot']),
  ).toEqual([])
})

test('a newer filter with the same value replaces the older one', () => {
  const [germany] = parseFilters(['country:DE'])
  if (germany === undefined) throw new Error('no filter')
  const excluded = { ...germany, exclude: true }
  expect(withFilter([germany], excluded)).toEqual([excluded])
  expect([germany, excluded].map(parameterOf)).toEqual(['country', 'not_country'])
})
