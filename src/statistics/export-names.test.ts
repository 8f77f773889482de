import { afterAll, beforeAll, expect, test } from 'bun:test'
import { databaseFiles, SEQS_PER_WORKSPACE } from '../storage/index.ts'
import { createExportNames } from './export-names.ts'
import { createTestStatistics, linkId, type TestStatistics } from './testing/statistics.ts'

let its: TestStatistics
beforeAll(async () => {
  its = await createTestStatistics()
})
afterAll(() => its.close())

test('links by their ids, deleted ones too, and hosts; however many are asked for', async () => {
  const first = await its.link(1)
  const second = await its.link(2)
  await its.removeLink(2)
  const names = createExportNames(databaseFiles(its.directory).main)
  const many = Array.from({ length: 40_000 }, (_, i) => 9 * SEQS_PER_WORKSPACE + i)
  expect([...(await names.links([...many, first, second]))]).toEqual([
    [first, linkId(1)],
    [second, linkId(2)],
  ])
  expect([...(await names.domains())]).toEqual([
    [0, 's.example'],
    [1, 'go.example'],
  ])
  names.close()
})
