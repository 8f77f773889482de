import { readFileSync } from 'node:fs'
import type { Clock } from '../lib/base/clock.ts'
import type { Logger } from '../lib/base/logger.ts'
import type { Random } from '../lib/base/random.ts'
import { replaceFile } from '../lib/base/replace-file.ts'

const DAY_MS = 86_400_000
const SALT_BYTES = 32
/** 96 bits: two visitors of a link on one day collide with probability 2^-96. */
const HASH_CHARACTERS = 16
/** How often old salts are looked for. */
export const CHECK_MS = 600_000

/** Recognizes visitors within a UTC day, without storing who they are. */
export interface Visitors {
  /** The visitor's hash for the day of `now`, 16 base64url characters. */
  hash(now: number, address: string, userAgent: string): string
  close(): void
}

/** Dependencies of the visitors. */
export interface VisitorsOptions {
  /** The file of the salts, with mode 0600. */
  file: string
  clock: Clock
  random: Random
  logger?: Pick<Logger, 'warn' | 'error'> | undefined
}

/**
 * SHA-256 of the day's salt, address and user agent. Salts are random, one per day. A salt is
 * destroyed at most 48 hours after its day began, and with it any way to reverse a hash.
 */
export function openVisitors(options: VisitorsOptions): Visitors {
  const salts = new Salts(options)
  const { clock } = options
  salts.destroyOld(clock.now())
  const timer = setInterval(() => salts.destroyOld(clock.now()), CHECK_MS)
  timer.unref()
  return {
    hash: (...visit) => salts.hash(...visit),
    close: () => clearInterval(timer),
  }
}

/** The salts of recent days, in memory and in a file. */
export class Salts {
  readonly #options: VisitorsOptions
  readonly #salts: Map<number, string>

  constructor(options: VisitorsOptions) {
    this.#options = options
    this.#salts = readSalts(options.file)
  }

  /** A visitor's hash with the day's salt, which is created if there is none. */
  hash(now: number, address: string, userAgent: string): string {
    const day = dayOf(now)
    let salt = this.#salts.get(day)
    if (salt === undefined) {
      salt = this.propose(day)
      this.#salts.set(day, salt)
      this.#forget(day)
      this.save()
    }
    const text = `${salt}${address}\0${userAgent}`
    return Bun.CryptoHasher.hash('sha256', text, 'base64url').slice(0, HASH_CHARACTERS)
  }

  /** The salt of a day, or a new one. */
  propose(day: number): string {
    const { random } = this.#options
    return this.#salts.get(day) ?? Buffer.from(random.bytes(SALT_BYTES)).toString('base64url')
  }

  set(day: number, salt: string): void {
    this.#salts.set(day, salt)
  }

  destroyOld(now: number): void {
    if (this.#forget(dayOf(now))) this.save()
  }

  /** Keeps yesterday's salt, for a clock stepping back across midnight. True: some were deleted. */
  #forget(today: number): boolean {
    const old = [...this.#salts.keys()].filter((day) => day < today - 1)
    for (const day of old) this.#salts.delete(day)
    return old.length > 0
  }

  save(): void {
    const { file, logger } = this.#options
    try {
      replaceFile(file, JSON.stringify(Object.fromEntries(this.#salts)))
    } catch (err) {
      // Visits continue; after a restart, today's visitors would count as new.
      logger?.error({ err }, 'The visitor salts can not be saved')
    }
  }
}

/** Days since the Unix epoch (UTC). */
export function dayOf(time: number): number {
  return Math.floor(time / DAY_MS)
}

/** Salts by days since the epoch; an unreadable file counts as none. */
function readSalts(file: string): Map<number, string> {
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
