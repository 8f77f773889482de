import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { AppError } from '../lib/errors/index.ts'
import { createCursors } from './cursor.ts'

const cursors = createCursors('secret')
const positions = fc.array(
  fc.oneof(
    fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed()),
    fc.maxSafeInteger(),
    fc.boolean(),
    fc.constant(null),
  ),
  { maxLength: 4 },
)

function refuses(cursor: string, binding: string, by = cursors): void {
  try {
    by.decode(cursor, binding)
  } catch (error) {
    expect(error).toBeInstanceOf(AppError)
    expect((error as AppError).code).toBe('BAD_REQUEST')
    expect((error as AppError).details).toEqual([{ field: 'cursor', code: 'INVALID_CURSOR' }])
    return
  }
  throw new Error(`It took ${cursor}`)
}

test('a cursor is decoded to its position, and fits a URL', () => {
  fc.assert(
    fc.property(positions, fc.string(), (position, binding) => {
      const cursor = cursors.encode(position, binding)
      expect(cursor).toMatch(/^[\w-]+$/)
      expect(cursors.decode(cursor, binding)).toEqual(position)
    }),
  )
})

test('a cursor is only valid for its list, and can’t be forged or changed', () => {
  fc.assert(
    fc.property(positions, fc.string(), fc.nat(), fc.string(), (position, binding, at, other) => {
      const cursor = cursors.encode(position, binding)
      refuses(cursor, `${binding}x`)
      refuses(cursor, binding, createCursors('another'))
      const i = at % cursor.length
      refuses(cursor.slice(0, i) + (cursor[i] === 'A' ? 'B' : 'A') + cursor.slice(i + 1), binding)
      refuses(cursor.slice(0, i), binding)
      refuses(`${cursor}=`, binding)
      refuses(other, binding)
    }),
  )
})

test('a long slug still makes a valid cursor', () => {
  const position = ['next', '𐐷'.repeat(64), 2 ** 52]
  expect(cursors.decode(cursors.encode(position, ''), '')).toEqual(position)
  refuses('A'.repeat(5000), '')
})

test('a cursor reveals nothing about its rows', () => {
  const bytes = Buffer.from(cursors.encode(['next', 'a slug', 123_456], 'links'), 'base64url')
  for (const inside of ['next', 'a slug', '123456']) {
    expect(bytes.toString('latin1')).not.toContain(inside)
  }
})
