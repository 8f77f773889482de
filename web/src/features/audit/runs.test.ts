import { expect, test } from 'bun:test'
import type { AuditEntry } from './queries.ts'
import { daysOf } from './runs.ts'

const START = new Date(2026, 4, 3, 12).getTime()

function entry(secondsBefore: number, action: string, actor = 'usr_1'): AuditEntry {
  return {
    id: `aud_${secondsBefore}`,
    created_at: new Date(START - secondsBefore * 1_000).toISOString(),
    actor: { type: 'user', id: actor, name: actor },
    action,
    target: { type: 'link', id: 'lnk_1', label: 'one' },
    before: {},
    after: {},
    request_id: null,
    group: null,
    changes: 0,
  }
}

const shape = (entries: AuditEntry[]) =>
  daysOf(entries).map(({ runs }) => runs.map(({ length }) => length))

test('many alike in quick succession are folded, few are not', () => {
  const alike = [0, 1, 2, 3, 4].map((at) => entry(at, 'link.updated'))
  expect(shape(alike)).toEqual([[5]])
  expect(shape(alike.slice(0, 3))).toEqual([[1, 1, 1]])
})

test('another action, another person or a pause ends it', () => {
  const four = (from: number, action: string, actor?: string) =>
    [0, 1, 2, 3].map((at) => entry(from + at, action, actor))
  expect(shape([...four(0, 'link.updated'), ...four(10, 'link.deleted')])).toEqual([[4, 4]])
  expect(shape([...four(0, 'link.updated'), ...four(10, 'link.updated', 'usr_2')])).toEqual([
    [4, 4],
  ])
  expect(shape([...four(0, 'link.updated'), ...four(100, 'link.updated')])).toEqual([[4, 4]])
})

test('a day begins at midnight of the person, and nothing is folded across it', () => {
  const noon = 12 * 3_600
  const across = [-3, -2, -1, 0, 1, 2].map((at) => entry(noon + at, 'link.updated'))
  expect(daysOf(across)).toHaveLength(2)
})
