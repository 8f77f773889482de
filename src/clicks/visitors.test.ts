import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemRandom } from '../lib/base/random.ts'
import { openVisitors } from './visitors.ts'

const DAY = 86_400_000
const NOON = 20_000 * DAY + DAY / 2

let dir: string
let file: string
let now: number

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'slugline-visitors-'))
  file = join(dir, 'visitor-salts')
  now = NOON
})

afterEach(() => rmSync(dir, { recursive: true, force: true }))

function open() {
  const visitors = openVisitors({ file, clock: { now: () => now }, random: systemRandom })
  return { hash: (at: number) => visitors.hash(at, '203.0.113.7', 'Browser'), visitors }
}

const daysKept = () => Object.keys(JSON.parse(readFileSync(file, 'utf8'))).map(Number)

test('a visitor has the same hash all day, and another one the next day', () => {
  const { hash, visitors } = open()
  const morning = hash(NOON)
  expect(morning).toMatch(/^[\w-]{16}$/)
  expect(hash(NOON + DAY / 2 - 1)).toBe(morning)
  expect(hash(NOON + DAY)).not.toBe(morning)
  // The clock was set back across midnight.
  expect(hash(NOON)).toBe(morning)
  expect(visitors.hash(NOON, '203.0.113.7', 'Other')).not.toBe(morning)
  expect(visitors.hash(NOON, '203.0.113.8', 'Browser')).not.toBe(morning)
  visitors.close()
})

test('a restart on the same day recognizes visitors', () => {
  const first = open()
  const hash = first.hash(NOON)
  first.visitors.close()
  const second = open()
  expect(second.hash(NOON)).toBe(hash)
  second.visitors.close()
})

test('salts have mode 0600, and are deleted two days later, with visits or without', () => {
  const first = open()
  first.hash(NOON)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  first.hash(NOON + DAY)
  expect(daysKept()).toEqual([20_000, 20_001])
  first.hash(NOON + 2 * DAY)
  expect(daysKept()).toEqual([20_001, 20_002])
  first.visitors.close()
  now = NOON + 9 * DAY
  open().visitors.close()
  expect(daysKept()).toEqual([])
})

test('a damaged file is replaced', () => {
  writeFileSync(file, '{"20000":"short"')
  const { hash, visitors } = open()
  expect(hash(NOON)).toBe(hash(NOON))
  expect(daysKept()).toEqual([20_000])
  visitors.close()
})

test('a directory that can not be written does not stop visits', () => {
  file = join(dir, 'missing', 'visitor-salts')
  const { hash, visitors } = open()
  expect(hash(NOON)).toBe(hash(NOON))
  visitors.close()
})
