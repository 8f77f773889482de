import { afterEach, expect, jest, test } from 'bun:test'
import { StorageUnavailable } from '../../platform/storage/index.ts'
import type { Redirect } from '../../redirect/index.ts'
import { createHistogram } from './metrics.ts'
import { sampleDurations, summarizeRefusals } from './visits.ts'

afterEach(() => void jest.useRealTimers())

test('visits that fail without the database are logged as one line a second, with their number', () => {
  jest.useFakeTimers()
  const lines: object[] = []
  const log = summarizeRefusals({ error: (fields) => void lines.push(fields) })
  const refuse = (times: number) => {
    for (let i = 0; i < times; i++) log.error({ err: new StorageUnavailable('away') }, 'failed')
  }
  refuse(1_000)
  expect(lines).toEqual([{ visits: 1, reason: 'away' }])
  jest.advanceTimersByTime(1_000)
  refuse(500)
  jest.advanceTimersByTime(1_000)
  expect(lines.slice(1)).toEqual([
    { visits: 999, reason: 'away' },
    { visits: 500, reason: 'away' },
  ])
  jest.advanceTimersByTime(5_000)
  refuse(1)
  expect(lines).toHaveLength(4)
  const err = new Error('a bug')
  for (let i = 0; i < 2; i++) log.error({ err }, 'failed')
  expect(lines.slice(4)).toEqual([{ err }, { err }])
})

test('every sixteenth visit is measured, and all are answered', async () => {
  const durations = createHistogram()
  const answer = new Response('')
  const fetch: Redirect['fetch'] = async () => answer
  const visit = sampleDurations({ fetch, counts: {} as Redirect['counts'] }, durations)
  const request = new Request('http://sho.rt/a')
  for (let i = 0; i < 64; i++) expect(await visit(request, () => '')).toBe(answer)
  expect(durations.lines('d')).toContain('d_count 4\n')
})
