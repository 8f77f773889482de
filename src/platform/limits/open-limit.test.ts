import { expect, test } from 'bun:test'
import { createOpenLimit } from './open-limit.ts'

const by = (no: number, person?: string) => ({
  workspace: { no },
  ...(person !== undefined && { person: { id: person } }),
})

/** How many more are opened until one is refused. */
function fill(limit: ReturnType<typeof createOpenLimit>, who: ReturnType<typeof by>): number {
  for (let count = 0; ; count++) {
    try {
      limit.take(who)
    } catch (error) {
      expect(error).toMatchObject({ code: 'RATE_LIMITED', headers: { 'Retry-After': '10' } })
      return count
    }
  }
}

test('a workspace has a limit, and a release frees a place', () => {
  const limit = createOpenLimit(4, 40)
  const release = limit.take(by(1))
  expect(fill(limit, by(1))).toBe(3)
  release()
  release()
  expect([limit.open, fill(limit, by(1))]).toEqual([3, 1])
  expect(fill(limit, by(2))).toBe(4)
})

test('a person has the same limit across all of their workspaces', () => {
  const limit = createOpenLimit(4, 40)
  expect([1, 2, 3].map((no) => fill(limit, by(no, 'usr_a')))).toEqual([4, 0, 0])
  expect(fill(limit, by(3, 'usr_b'))).toBe(4)
})

test('many workspaces leave room for the others', () => {
  const limit = createOpenLimit(20, 1_000)
  for (let no = 1; no <= 60; no++) fill(limit, by(no))
  expect(limit.open).toBeLessThan(1_000)
  expect(fill(limit, by(61))).toBeGreaterThan(0)
})
