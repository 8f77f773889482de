import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { openJournal } from '../../../clicks/journal.ts'
import { encodeRecord } from '../../../clicks/record.ts'
import { journalDirectory, segmentFile } from '../../../clicks/segments.ts'
import { systemClock } from '../../../lib/base/clock.ts'
import { SEQS_PER_WORKSPACE } from '../../../platform/storage/index.ts'
import { damagedLog, statisticsFile, statisticsLog } from '../../process/files.ts'
import { stateOf } from '../../process/store-state.ts'
import { plainClick } from '../testing/plain-click.ts'
import { openDuckDb } from './database.ts'
import { openOwnStore } from './store.ts'

const LINK = SEQS_PER_WORKSPACE + 1
const SECTOR = 512
/** Clicks of each commit; the last one is what a power cut tears. */
const COMMITS = [30, 700, 5, 400]
const ALL = COMMITS.reduce((sum, clicks) => sum + clicks)
let root: string
/** A data directory whose file has been killed after all commits; the log's bytes after each. */
let whole: string
let lengths: number[]
let log: Buffer
let copies = 0

const open = (dir: string, warn: (facts: object) => void = () => {}) =>
  openOwnStore(dir, { clock: systemClock, enrich: plainClick, logger: { warn } })

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'slugline-torn-'))
  const live = join(root, 'live')
  whole = join(root, 'whole')
  mkdirSync(live)
  const journal = openJournal({ directory: journalDirectory(live) })
  const store = await open(live)
  let time = Date.parse('2026-06-15T12:00:00Z')
  lengths = []
  for (const clicks of COMMITS) {
    for (let n = 0; n < clicks; n++) {
      const visitor = String(time).padStart(16, '0')
      journal.append(encodeRecord([1, time++, LINK, 0, visitor, '', '', '', '', 0, 'a', 0]), 1)
    }
    expect((await store.pass()).records).toBe(clicks)
    lengths.push(statSync(statisticsLog(statisticsFile(live))).size)
  }
  mkdirSync(whole)
  for (const file of [statisticsFile(live), statisticsLog(statisticsFile(live))]) {
    copyFileSync(file, file.replace(live, whole))
  }
  await journal.close()
  cpSync(journalDirectory(live), journalDirectory(whole), { recursive: true })
  store.close()
  log = readFileSync(statisticsLog(statisticsFile(whole)))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** A copy of the data directory with another log. */
function withLog(bytes: Uint8Array): string {
  const dir = join(root, `${copies++}`)
  cpSync(whole, dir, { recursive: true })
  writeFileSync(statisticsLog(statisticsFile(dir)), bytes)
  return dir
}

/** How many clicks are stored when the journal is stored to its end, now and after a restart. */
async function storedIn(dir: string): Promise<{ clicks: number; since: number; cut: boolean }> {
  const warned: object[] = []
  for (const times of [1, 2]) {
    const store = await open(dir, (facts) => void warned.push(facts))
    try {
      while (!(await store.pass()).complete);
      const { clicks, since } = await store.check()
      if (times === 1) continue
      const kept = existsSync(damagedLog(statisticsFile(dir)))
      expect(warned.length > 0).toBe(kept)
      return { clicks, since, cut: kept }
    } finally {
      store.close()
    }
  }
  throw new Error('unreachable')
}

const length = (commit: number) => lengths.at(commit) as number
const filled = (from: number, to: number, byte: number) => Buffer.from(log).fill(byte, from, to)

test.each<[string, () => Uint8Array, boolean]>([
  ['is whole', () => log, false],
  ['ends within an entry', () => log.subarray(0, length(-1) - 3), false],
  ['is empty', () => Buffer.alloc(0), false],
  ['ends within its first entry', () => log.subarray(0, 5), false],
  ['has zeros where its last commit was', () => filled(length(-2), length(-1), 0), true],
  ['has zeros from the middle of an entry', () => filled(length(-2) + 900, length(-1), 0), true],
  ['lacks a sector, and has good ones after it', () => filled(81_408, 81_920, 0), true],
  ['is followed by zeros', () => Buffer.concat([log, Buffer.alloc(4_096)]), true],
  ['is followed by ones', () => Buffer.concat([log, Buffer.alloc(4_096, 255)]), true],
  ['is all zeros', () => Buffer.alloc(log.length), false],
  ['is all garbage', () => Buffer.alloc(log.length, 0xa7), false],
  ['has its first sector only', () => filled(SECTOR, log.length, 0), true],
  ['lacks its first sector', () => filled(0, SECTOR, 0), false],
])('a log that %s costs no click', async (_, bytes, isCut) => {
  const before = Buffer.from(bytes())
  const dir = withLog(before)
  expect(await storedIn(dir)).toEqual({ clicks: ALL, since: 0, cut: isCut })
  if (isCut) expect(readFileSync(damagedLog(statisticsFile(dir))).equals(before)).toBe(true)
})

test('a log that is missing costs no click', async () => {
  const dir = withLog(log)
  rmSync(statisticsLog(statisticsFile(dir)))
  expect(await storedIn(dir)).toEqual({ clicks: ALL, since: 0, cut: false })
})

test('all clicks are stored once, with any state of what was not synced', async () => {
  const lost = fc.record({
    commit: fc.integer({ min: 0, max: COMMITS.length - 1 }),
    length: fc.double({ min: 0, max: 1, noNaN: true }),
    sectors: fc.infiniteStream(fc.constantFrom('kept', 'kept', 'zeros', 'garbage', 'torn')),
    seed: fc.nat(255),
  })
  await fc.assert(
    fc.asyncProperty(lost, async (cut) => {
      const synced = cut.commit === 0 ? 0 : length(cut.commit - 1)
      const end = Math.round(synced + cut.length * (length(cut.commit) - synced))
      const bytes = Buffer.from(log.subarray(0, end))
      let random = cut.seed
      for (let at = synced; at < end; ) {
        const next = Math.min(end, (Math.floor(at / SECTOR) + 1) * SECTOR)
        const { value: fate } = cut.sectors.next()
        if (fate === 'zeros') bytes.fill(0, at, next)
        if (fate === 'torn') bytes.fill(0, (at + next) >> 1, next)
        if (fate === 'garbage') {
          for (let i = at; i < next; i++) {
            random = (random * 75 + 74) % 65_537
            bytes[i] = random & 255
          }
        }
        at = next
      }
      const dir = withLog(bytes)
      expect(await storedIn(dir)).toMatchObject({ clicks: ALL, since: 0 })
      rmSync(dir, { recursive: true })
    }),
    { numRuns: 15, endOnFailure: true },
  )
})

test('damage to what was synced is reported when the journal no longer has those clicks', async () => {
  const dir = withLog(filled(length(0) + 100, length(0) + 200, 0))
  const directory = journalDirectory(dir)
  // Everything was stored and trimmed; then newer clicks came.
  writeFileSync(segmentFile(directory, 2), readFileSync(segmentFile(directory, 1)))
  rmSync(segmentFile(directory, 1))
  const { since, cut } = await storedIn(dir)
  expect([since > 0, cut]).toEqual([true, true])
})

test('only the process that owns the journal cuts a log', async () => {
  const dir = withLog(filled(length(-2), length(-1), 0))
  for (const readonly of [true, false]) {
    const error = await openDuckDb(statisticsFile(dir), { readonly }).catch((it) => it)
    expect(stateOf(error)).toBe('corrupt')
  }
  expect(readFileSync(statisticsLog(statisticsFile(dir))).length).toBe(log.length)
  expect(existsSync(damagedLog(statisticsFile(dir)))).toBe(false)
})

test('the log of a file that is gone is not applied to a new one', async () => {
  const dir = withLog(log)
  rmSync(statisticsFile(dir))
  const store = await open(dir)
  expect(store.watermark).toEqual({ segment: 0, offset: 0 })
  store.close()
  expect(readdirSync(dir)).toContain('statistics.duckdb.wal.damaged')
})
