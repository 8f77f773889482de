import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { Random } from '../base/random.ts'

const DAY_MS = 86_400_000
const SALT_BYTES = 32
/** 96 bits: two visitors of one link on one day are taken for one with probability 2^-96. */
const HASH_CHARACTERS = 16
const CHECK_MS = 600_000

/** Tells visitors apart within one UTC day, without keeping who they are. */
export interface Visitors {
  /** The visitor's hash for the day of `now`, 16 base64url characters. */
  hash(now: number, address: string, userAgent: string): string
  close(): void
}

/** What it works with. `file` holds the salts, readable by the owner alone. */
export interface VisitorsOptions {
  file: string
  clock: Clock
  random: Random
  logger?: Pick<Logger, 'error'>
}

/**
 * SHA-256 of the day's salt, address and user agent. Salts are random, one a day; a salt is
 * destroyed 48 hours after its day began at the latest, and with it every way back from a hash.
 */
export function openVisitors({ file, clock, random, logger }: VisitorsOptions): Visitors {
  const salts = loadSalts(file)
  let from = 0
  let until = 0
  let salt = ''

  function switchDay(now: number): void {
    const day = Math.floor(now / DAY_MS)
    const known = salts.get(day)
    salt = known ?? Buffer.from(random.bytes(SALT_BYTES)).toString('base64url')
    salts.set(day, salt)
    from = day * DAY_MS
    until = from + DAY_MS
    const old = forget(day)
    if (known === undefined || old) save()
  }

  /** Yesterday's stays, for a clock that steps back over midnight. */
  function forget(today: number): boolean {
    let any = false
    for (const day of salts.keys()) if (day < today - 1 && salts.delete(day)) any = true
    return any
  }

  function save(): void {
    try {
      saveSalts(file, salts)
    } catch (error) {
      // Visits go on; after a restart, today's visitors would be taken for new ones.
      logger?.error({ err: error }, 'The visitor salts can not be saved')
    }
  }

  function destroyOld(): void {
    if (forget(Math.floor(clock.now() / DAY_MS))) save()
  }

  destroyOld()
  const timer = setInterval(destroyOld, CHECK_MS)
  timer.unref()

  return {
    hash(now, address, userAgent) {
      if (now < from || now >= until) switchDay(now)
      return visitorHash(salt, address, userAgent)
    },
    close() {
      clearInterval(timer)
    },
  }
}

/** A visitor's hash by a salt, 16 base64url characters. */
export function visitorHash(salt: string, address: string, userAgent: string): string {
  return Bun.CryptoHasher.hash('sha256', `${salt}${address}\0${userAgent}`, 'base64url').slice(
    0,
    HASH_CHARACTERS,
  )
}

/** Replaces the file of salts; readable by its owner alone. @throws when it can't be written */
export function saveSalts(file: string, salts: ReadonlyMap<number, string>): void {
  const text = JSON.stringify(Object.fromEntries(salts))
  writeFileSync(`${file}.new`, text, { mode: 0o600 })
  chmodSync(`${file}.new`, 0o600)
  renameSync(`${file}.new`, file)
}

/** Days since the epoch and their salts; what can't be read counts as none. */
export function loadSalts(file: string): Map<number, string> {
  try {
    const stored = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
    return new Map(
      Object.entries(stored)
        .filter(([, salt]) => /^[\w-]{43}$/.test(salt))
        .map(([day, salt]) => [Number(day), salt]),
    )
  } catch {
    return new Map()
  }
}
