import { afterAll, beforeAll, expect, test } from 'bun:test'
import { databaseFiles, SEQS_PER_WORKSPACE } from '../platform/storage/index.ts'
import { createLinkFacts } from './store.ts'
import { createTestStatistics, linkId, type TestStatistics } from './testing/statistics.ts'

let its: TestStatistics
beforeAll(async () => {
  its = await createTestStatistics()
})
afterAll(() => its.close())

test('links by their ids, deleted ones too, and hosts; in any number', async () => {
  const first = await its.link(1, { tags: ['A', 'b'] })
  const second = await its.link(2, { tags: ['b'] })
  await its.link(3, { workspaceNo: 2, tags: ['b'] })
  await its.removeLink(2)
  const facts = createLinkFacts(databaseFiles(its.directory).main)
  const many = Array.from({ length: 40_000 }, (_, i) => 9 * SEQS_PER_WORKSPACE + i)
  expect([...(await facts.links([...many, first, second]))]).toEqual([
    [first, linkId(1)],
    [second, linkId(2)],
  ])
  expect([...(await facts.domains())]).toEqual([
    [0, 's.example'],
    [1, 'go.example'],
  ])
  expect(await facts.grouped(1, { tags: ['a', 'b'], folder: null })).toEqual([first])
  expect(await facts.grouped(1, { tags: ['c'], folder: null })).toEqual([])
  facts.close()
})
