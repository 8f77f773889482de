import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { journalEnd, rememberJournalEnd } from './journal-end.ts'

let dir: string
let journal: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'slugline-journal-end-'))
  journal = join(dir, 'journal')
  mkdirSync(journal)
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

test('the end of a journal is remembered', () => {
  expect(journalEnd(dir, journal)).toBeNull()
  rememberJournalEnd(dir, 7)
  expect(journalEnd(dir, journal)).toBe(7)
})

test('what could not be written down leaves nothing old behind', () => {
  rememberJournalEnd(dir, 7)
  // In the way of the next one.
  mkdirSync(join(dir, 'journal-end.next'))
  rememberJournalEnd(dir, 9)
  expect(journalEnd(dir, journal)).toBeNull()
})

test('segments that a killed process has left are enough', () => {
  writeFileSync(join(journal, '3.log'), '')
  expect(journalEnd(dir, journal)).toBe(0)
})
