import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { type ClickRecord, decodeRecord, encodeRecord } from './record.ts'

const text = fc.string({ unit: 'grapheme' })
const records = fc.tuple(
  fc.constant(1),
  fc.nat(2 ** 31),
  fc.integer({ min: 2 ** 32, max: 2 ** 52 }),
  fc.nat(7),
  fc.stringMatching(/^[\w-]{0,16}$/),
  fc.string({ unit: 'binary' }),
  fc.constant('192.0.2.0'),
  text,
  text,
  fc.oneof(fc.constant(0 as const), fc.record({ source: text })),
  text,
  fc.nat(9),
) as fc.Arbitrary<ClickRecord>

test('a record is decoded as it was encoded, and is one line of ASCII', () => {
  fc.assert(
    fc.property(records, (record) => {
      const line = encodeRecord(record)
      expect(line).toMatch(/^[ -~]+\n$/)
      expect(decodeRecord(line.slice(0, -1)) as unknown).toEqual(JSON.parse(JSON.stringify(record)))
    }),
  )
})

test('a torn or damaged line is not a record', () => {
  fc.assert(
    fc.property(records, fc.nat(), fc.constantFrom('cut', 'flip'), (record, at, how) => {
      const line = encodeRecord(record).slice(0, -1)
      const place = at % line.length
      const other = line[place] === 'x' ? 'y' : 'x'
      const damaged =
        how === 'cut' ? line.slice(0, place) : line.slice(0, place) + other + line.slice(place + 1)
      expect(decodeRecord(damaged)).toBeNull()
    }),
  )
})

test('records of a later version are skipped', () => {
  const line = encodeRecord([2, 0, 1, 0, '', '', '', '', '', 0, 'a', 0])
  expect(decodeRecord(line.slice(0, -1))).toBeNull()
})
