import { afterAll, beforeAll, expect, test } from 'bun:test'
import { click } from './testing/naive.ts'
import { createTestStatistics, linkId, type TestStatistics } from './testing/statistics.ts'

const NOW = Date.parse('2026-06-15T12:00:00Z')
const START = { time: NOW, n: 0 }

let its: TestStatistics
let first: number
let second: number
beforeAll(async () => {
  its = await createTestStatistics()
  its.clock.ms = NOW
  first = await its.link(1, { folder: 'fld_a' })
  second = await its.link(2)
})
afterAll(() => its.close())

const caller = { workspace: { no: 1 } }

test('clicks after a position are read in order, each once, as far as they are seen', async () => {
  const add = (linkSeq: number, after: number, fields: object = {}) =>
    its.reports.add(click({ linkSeq, time: NOW + after, ...fields }))
  const read = (asked: object, who: object = caller) =>
    its.statistics.recorded(who as typeof caller, { after: START, limit: 2, ...asked })
  expect(await read({})).toEqual({ clicks: [], end: START })
  for (const [i, seq] of [first, second, first, second].entries()) add(seq, i + 1)
  add(first, 5, { kind: 'bot' })
  its.clock.ms = NOW + 10

  const page = await read({})
  expect(page.clicks.map(({ link_id }) => link_id)).toEqual([linkId(1), linkId(2)])
  const rest = await read({ after: page.end })
  expect(rest.clicks.map(({ link_id }) => link_id)).toEqual([linkId(1), linkId(2)])
  // Past the bot, which isn't among them.
  const end = await read({ after: rest.end })
  expect(end).toEqual({ clicks: [], end: { time: NOW + 5, n: 0 } })
  expect(await read({ after: end.end })).toEqual(end)

  expect(await read({ upTo: page.end })).toEqual(page)
  const hidden = { ...caller, hiddenFolders: ['fld_a'] }
  expect((await read({}, hidden)).clicks.map(({ link_id }) => link_id)).toEqual([
    linkId(2),
    linkId(2),
  ])
  const only = { allowed: { folders: ['fld_a'] } }
  expect((await read({ only })).clicks.map(({ link_id }) => link_id)).toEqual([linkId(1)])
})
