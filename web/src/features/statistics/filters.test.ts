import { expect, test } from 'bun:test'
import {
  filterText,
  joined,
  narrowedTo,
  parameterOf,
  parseFilters,
  toggled,
  withFilter,
} from './filters.ts'

test('filters survive the URL, whatever is in their values', () => {
  const filters = parseFilters([
    'country:DE',
    'not_referrer:a:b,c',
    'utm_source:',
    'browser:<b>\n',
    'contains_city:burg',
  ])
  expect(filters).toHaveLength(5)
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
    parseFilters([
      'nonsense:1',
      'country',
      '',
      '-country:DE',
      'not_not_country:DE',
      'kind:bot',
      ...['contains_country:D', 'contains_city:', 'contains_tag:a'],
    ]),
  ).toEqual([])
})

test('a newer filter with the same value replaces the older one', () => {
  const [germany] = parseFilters(['country:DE'])
  if (germany === undefined) throw new Error('no filter')
  const excluded = { ...germany, match: 'not' as const }
  expect(withFilter([germany], excluded)).toEqual([excluded])
  const france = { ...germany, value: 'FR' }
  const firefox = { ...germany, dimension: 'browser', value: 'Firefox' } as const
  expect(narrowedTo([germany, firefox, france], germany)).toEqual([firefox, germany])
  expect([germany, excluded].map(parameterOf)).toEqual(['country', 'not_country'])
})

test('values of a dimension are one filter, excluded ones another, and tags stay on their own', () => {
  const filters = parseFilters([
    ...['country:DE', 'browser:Firefox', 'country:FR', 'not_country:US', 'tag:a', 'tag:b'],
  ])
  expect(joined(filters).map((group) => group.map(filterText))).toEqual([
    ['country:DE', 'country:FR'],
    ['browser:Firefox'],
    ['not_country:US'],
    ['tag:a'],
    ['tag:b'],
  ])
})

test('a filter is toggled; the other mode of its value is replaced', () => {
  const [germany, france, spring] = parseFilters(['country:DE', 'country:FR', 'tag:spring'])
  if (!germany || !france || !spring) throw new Error('no filters')
  expect(toggled([germany], france)).toEqual([germany, france])
  expect(toggled([germany, france, spring], germany)).toEqual([france, spring])
  const excluded = { ...germany, match: 'not' as const }
  expect(toggled([germany, france], excluded)).toEqual([france, excluded])
})

test('a part of a value is a filter of its own, beside the value', () => {
  const [value, part] = parseFilters(['city:burg', 'contains_city:burg'])
  if (value === undefined || part === undefined) throw new Error('no filters')
  expect(parameterOf(part)).toBe('contains_city')
  expect(toggled([value], part)).toEqual([value, part])
  expect(toggled([value, part], value)).toEqual([part])
  expect(joined([value, part])).toHaveLength(2)
})
