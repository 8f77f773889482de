import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  closeSync,
  fstatSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { appendFile, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type JournalOptions, openJournal } from './journal.ts'
import type { JournalIo } from './journal-io.ts'
import { type ClickRecord, encodeRecord } from './record.ts'
import { readJournal } from './segment-reader.ts'
import { listSegments, segmentFile } from './segments.ts'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'slugline-journal-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const open = (options: Partial<JournalOptions> = {}) => openJournal({ directory, ...options })
const line = (seq: number) => encodeRecord([1, 0, seq, 0, '', '', '', '', '', 0, 'a', 0])

function read() {
  const seqs: number[] = []
  const reading = readJournal(
    directory,
    { segment: 0, offset: 0 },
    () => true,
    (record: ClickRecord) => {
      seqs.push(record[2])
    },
  )
  return { seqs, skipped: reading.skipped, end: reading.end }
}

/** A disk controlled by a test. */
function faultyIo() {
  const state = { room: Number.POSITIVE_INFINITY, fault: '', syncFails: false, syncs: 0 }
  const failure = (code: string) => Object.assign(new Error(code), { code })
  const io: JournalIo = {
    open: (file) => openSync(file, 'a', 0o600),
    write(descriptor, text) {
      if (state.fault !== '') throw failure(state.fault)
      if (state.room <= 0) throw failure('ENOSPC')
      const part = text.slice(0, state.room)
      state.room -= part.length
      return writeSync(descriptor, part)
    },
    size: (descriptor) => fstatSync(descriptor).size,
    sync(_, done) {
      state.syncs++
      queueMicrotask(() => done(state.syncFails ? failure('EIO') : null))
    },
    close: closeSync,
  }
  return { io, state }
}

describe('the journal', () => {
  test('is read in the order of writing, across segments and restarts', async () => {
    for (const start of [0, 100]) {
      const journal = open({ segmentBytes: 200 })
      for (let seq = start; seq < start + 20; seq++) journal.append(line(seq), 1)
      expect(journal.bytesAfter(journal.position)).toBe(0)
      await journal.close()
    }
    const expected = Array.from({ length: 40 }, (_, i) => (i < 20 ? i : 80 + i))
    expect(read().seqs).toEqual(expected)
    expect(listSegments(directory).length).toBeGreaterThan(4)
  })

  test('creates no file before there is something to write, and reuses no counted one', async () => {
    const journal = open({ after: 7 })
    expect(await readdir(directory)).toEqual([])
    expect(journal.position).toEqual({ segment: 8, offset: 0 })
    journal.append(line(1), 1)
    await journal.close()
    expect(listSegments(directory)).toEqual([8])
  })

  test('is handed to the operating system when append returns', async () => {
    const journal = open()
    journal.append(line(1) + line(2), 2)
    expect(read().seqs).toEqual([1, 2])
    expect(journal.position.offset).toBe(line(1).length + line(2).length)
    await journal.close()
  })

  test('cuts off a torn line, and continues in a new segment', async () => {
    const first = open()
    first.append(line(1), 1)
    await first.close()
    await appendFile(segmentFile(directory, 1), line(2).slice(0, -1))
    // While the segment is the newest, its end may still be written.
    expect(read()).toMatchObject({ seqs: [1], skipped: 0, end: { segment: 1 } })
    const second = open()
    expect(readFileSync(segmentFile(directory, 1), 'latin1')).toBe(line(1))
    second.append(line(3), 1)
    await second.close()
    expect(read()).toMatchObject({ seqs: [1, 3], skipped: 0 })
  })

  test('is read despite damage', async () => {
    const journal = open()
    journal.append(line(1), 1)
    await journal.close()
    await appendFile(
      segmentFile(directory, 1),
      `\0\0\0\n${line(2).replace('[1,', '[7,')}${line(3)}`,
    )
    expect(read()).toMatchObject({ seqs: [1, 3], skipped: 2 })
  })
})

describe('a full disk', () => {
  test('loses and repeats nothing, wherever the write fails', async () => {
    const whole = [1, 2, 3].map(line).join('')
    for (let room = 0; room <= whole.length; room++) {
      rmSync(directory, { recursive: true, force: true })
      const { io, state } = faultyIo()
      state.room = room
      const journal = open({ io, retryMs: 1 })
      journal.append(whole, 3)
      journal.append(line(4), 1)
      expect(journal.healthy).toBe(false)
      state.room = Number.POSITIVE_INFINITY
      await journal.close()
      expect(read()).toMatchObject({ seqs: [1, 2, 3, 4], skipped: 0 })
      expect(journal.lost).toBe(0)
    }
  })

  test('is retried automatically', async () => {
    const { io, state } = faultyIo()
    state.room = 10
    const journal = open({ io, retryMs: 1 })
    journal.append(line(1), 1)
    journal.append(line(2), 1)
    state.room = Number.POSITIVE_INFINITY
    while (!journal.healthy) await new Promise((turn) => setImmediate(turn))
    expect(read().seqs).toEqual([1, 2])
    journal.append(line(3), 1)
    expect(read().seqs).toEqual([1, 2, 3])
    await journal.close()
  })

  test('drops the oldest lines above the buffer size and counts them, but never half a line', async () => {
    const { io, state } = faultyIo()
    state.room = 10
    const journal = open({ io, retryMs: 1e6, bufferBytes: (line(1).length + 1) * 3 })
    for (let seq = 1; seq <= 9; seq++) journal.append(line(seq), 1)
    expect(journal.lost).toBe(6)
    state.room = Number.POSITIVE_INFINITY
    await journal.close()
    // The first was partly written already.
    expect(read()).toMatchObject({ seqs: [1, 8, 9], skipped: 0 })
  })
})

describe('a broken file', () => {
  test('is abandoned; the torn line is written again to a new one', async () => {
    const { io, state } = faultyIo()
    state.room = line(1).length + 10
    const journal = open({ io, retryMs: 1 })
    journal.append(line(1) + line(2), 2)
    state.room = Number.POSITIVE_INFINITY
    state.fault = 'EIO'
    while (journal.position.segment === 1) await new Promise((turn) => setImmediate(turn))
    state.fault = ''
    while (!journal.healthy) await new Promise((turn) => setImmediate(turn))
    await journal.close()
    expect(read()).toMatchObject({ seqs: [1, 2], skipped: 0 })
    expect(listSegments(directory)).toEqual([1, 2])
  })

  test('that can not be synced is not healthy', async () => {
    const { io, state } = faultyIo()
    const journal = open({ io })
    journal.append(line(1), 1)
    state.syncFails = true
    await expect(journal.sync()).rejects.toThrow()
    await journal.sync().catch(() => {})
    expect(journal.healthy).toBe(false)
    state.syncFails = false
    await journal.sync()
    expect(journal.healthy).toBe(true)
    expect(state.syncs).toBeGreaterThan(1)
    await journal.close()
  })
})
