import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openJournal } from './journal.ts'
import { encodeRecord } from './record.ts'
import { readJournal } from './segment-reader.ts'
import { listSegments, type Position, segmentFile, segmentSize } from './segments.ts'
import { createSyncedEnd } from './synced-end.ts'
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

test('nothing is deleted before what the readers have committed is synced', async () => {
  const all = listSegments(directory)
  watermarks = [
    { segment: 4, offset: 7 },
    { segment: 4, offset: 7 },
  ]
  const failing = createTrimmer({
    directory,
    watermarks: () => watermarks,
    syncReaders: () => Promise.reject(new Error('EIO')),
  })
  failing.trim()
  await failing.close()
  expect(listSegments(directory)).toEqual(all)
  const seen: number[][] = []
  const trimmer = createTrimmer({
    directory,
    watermarks: () => watermarks,
    syncReaders: async () => void seen.push(listSegments(directory)),
  })
  trimmer.trim()
  await trimmer.close()
  expect(seen[0]).toEqual(all)
  expect(listSegments(directory)).toEqual(all.filter((segment) => segment >= 4))
})

test('the rest of a segment that was read in part is missed when it is gone', async () => {
  const gapAfter = (from: Position) =>
    readJournal(
      directory,
      from,
      () => true,
      () => {},
    ).gapBefore
  rmSync(segmentFile(directory, 1))
  expect(gapAfter({ segment: 1, offset: 7 })).toBe(2)
  // Nothing of it was read: it may never have had a click.
  expect(gapAfter({ segment: 1, offset: 0 })).toBe(0)
  expect(gapAfter({ segment: 2, offset: 7 })).toBe(0)
})

test('a reader that stores what it reads gets what is synced, and has read all at its end', async () => {
  const syncedEnd = createSyncedEnd(directory)
  const until = await syncedEnd(START)
  expect(until.segment).toBe(listSegments(directory).at(-1) as number)
  const journal = openJournal({ directory })
  journal.append(line(13), 1)
  const read = (from: Position, end: Position) =>
    readJournal(
      directory,
      from,
      () => true,
      () => {},
      end,
    )
  expect(read(START, until)).toMatchObject({ records: 12, complete: true, end: until })
  const later = await syncedEnd(until)
  expect(read(until, later)).toMatchObject({ records: 1, complete: true, end: later })
  expect(await syncedEnd(later)).toEqual(later)
  await journal.close()
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
