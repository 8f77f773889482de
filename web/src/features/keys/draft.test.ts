import { expect, test } from 'bun:test'
import { changesOf, type Draft, draftOf, isRestricted } from './draft.ts'

const NONE = draftOf(null)
const with_ = (change: Partial<Draft>, of: Draft = NONE) => ({ ...of, ...change })

test('a new key has the restrictions that are filled in', () => {
  expect(changesOf(NONE, NONE)).toEqual({})
  expect(changesOf(with_({ networks: ' \n' }), NONE)).toEqual({})
  expect(
    changesOf(
      with_({ domains: ['go.example'], networks: '192.0.2.1\n\n 2001:db8::/32', ownLinks: true }),
      NONE,
    ),
  ).toEqual({
    domains: ['go.example'],
    networks: ['192.0.2.1', '2001:db8::/32'],
    own_links: true,
  })
})

test('a change sends what it changes, and ends what it empties', () => {
  const before = draftOf({
    domains: ['go.example'],
    folders: ['fld_1', 'fld_2'],
    networks: ['192.0.2.1'],
    own_links: true,
  })
  expect(changesOf(before, before)).toEqual({})
  expect(
    changesOf(
      with_({ domains: null, folders: ['fld_2'], networks: '', ownLinks: false }, before),
      before,
    ),
  ).toEqual({ domains: null, folders: ['fld_2'], networks: null, own_links: null })
})

test('a restriction to deleted tags stays until it is removed', () => {
  const before = draftOf({ tags: [] })
  expect(isRestricted(before)).toBe(true)
  expect(isRestricted(NONE)).toBe(false)
  expect(changesOf(before, before)).toEqual({})
  expect(changesOf(with_({ networks: '192.0.2.1' }, before), before)).toEqual({
    networks: ['192.0.2.1'],
  })
  expect(changesOf(with_({ tags: null }, before), before)).toEqual({ tags: null })
})
