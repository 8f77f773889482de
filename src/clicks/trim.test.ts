import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openJournal } from './journal.ts'
import { encodeRecord } from './record.ts'
import { readJournal } from './segment-reader.ts'
import { listSegments, type Position, segmentSize } from './segments.ts'
import { createTrimmer } from './trim.ts'

const START = { segment: 0, offset: 0 }
const line = (seq: number) => encodeRecord([1, 0, seq, 0, '', '', '', '', '', 0, 'a', 0])
let directory: string
let watermarks: Position[]

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'slugline-trim-'))
  watermarks = [START, START]
  const journal = openJournal({ directory, segmentBytes: 100 })
  for (let seq = 1; seq <= 12; seq++) journal.append(line(seq), 1)
  await journal.close()
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const open = () => createTrimmer({ directory, watermarks: () => watermarks })

async function trimmed(): Promise<number[]> {
  const trimmer = open()
  trimmer.trim()
  await trimmer.close()
  return listSegments(directory)
}

test('nothing is deleted before every reader has reported its position', async () => {
  const all = listSegments(directory)
  expect(all.length).toBeGreaterThan(3)
  watermarks = [{ segment: 4, offset: 0 }, START]
  expect(await trimmed()).toEqual(all)
})

test('the slowest reader decides', async () => {
  const all = listSegments(directory)
  watermarks = [
    { segment: 4, offset: 0 },
    { segment: 3, offset: 7 },
  ]
  expect(await trimmed()).toEqual(all.filter((segment) => segment >= 3))
})

test('when everything is read and the journal is closed, only the next number is kept', async () => {
  const { end } = readJournal(
    directory,
    START,
    () => true,
    () => {},
  )
  watermarks = [end, end]
  const trimmer = open()
  trimmer.trim()
  await trimmer.close()
  const kept = end.segment + 1
  expect(listSegments(directory)).toEqual([kept])
  expect(segmentSize(directory, kept)).toBe(0)
  const isLost = (from: Position) =>
    readJournal(
      directory,
      from,
      () => true,
      () => {},
    ).gapBefore > 0
  expect([isLost(end), isLost(START)]).toEqual([false, true])
  const next = openJournal({ directory })
  next.append(line(13), 1)
  await next.close()
  const seqs: number[] = []
  readJournal(
    directory,
    end,
    () => true,
    (record) => seqs.push(record[2]),
  )
  expect(seqs).toEqual([13])
})

test('reading stops at the given position', () => {
  const { end } = readJournal(
    directory,
    START,
    () => true,
    () => {},
  )
  for (const stop of [{ segment: 2, offset: line(1).length }, { segment: 2, offset: 0 }, end]) {
    const before: number[] = []
    const after: number[] = []
    readJournal(
      directory,
      START,
      () => true,
      (record) => before.push(record[2]),
      stop,
    )
    readJournal(
      directory,
      stop,
      () => true,
      (record) => after.push(record[2]),
    )
    expect([...before, ...after]).toEqual(Array.from({ length: 12 }, (_, i) => i + 1))
  }
})
