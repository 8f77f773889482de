import { withTimeout } from '../lib/base/with-timeout.ts'
import { StorageUnavailable } from '../platform/storage/index.ts'
import type { SlugRow } from './resolver.ts'
import { idOf } from './slug-cache.ts'

/** Dependencies. Times are milliseconds. */
export interface SlugReadsOptions {
  /** Reads a slug from the database. @throws StorageUnavailable */
  fetch: (slugKey: string, domainNo: number) => Promise<SlugRow | null>
  /** How long a visit waits for an uncached slug; then the database counts as down. */
  fetchWithinMs: number
  /** How often the database is retried while it is down. */
  retryMs: number
  /** The most concurrent reads; above that, visits of other slugs are refused. */
  fetchesMax: number
}

/** Pending reads of slugs, one per slug; and whether the database responds. */
export class SlugReads {
  /** A visit has waited too long for the database, and no read has succeeded since. */
  isSlow = false
  readonly #options: SlugReadsOptions
  readonly #running = new Map<string, Promise<SlugRow | null>>()
  #retrying: Timer | undefined

  constructor(options: SlugReadsOptions) {
    this.#options = options
  }

  /** The database can't be read; it is retried periodically. */
  get isDatabaseDown(): boolean {
    return this.#retrying !== undefined
  }

  /** Whether a slug can be read now: there are few pending reads, or it is one of them. */
  hasRoomFor(slugKey: string, domainNo: number): boolean {
    const { size } = this.#running
    return size < this.#options.fetchesMax || this.#running.has(idOf(slugKey, domainNo))
  }

  /**
   * Reads a slug, or joins the pending read. `keep` receives the result, unless the read was
   * detached in the meantime, and returns what the visits get. @throws StorageUnavailable
   */
  read(
    slugKey: string,
    domainNo: number,
    keep: (found: SlugRow | null) => SlugRow,
  ): Promise<SlugRow | null> {
    const id = idOf(slugKey, domainNo)
    const joined = this.#running.get(id)
    if (joined !== undefined) return joined
    const reading: Promise<SlugRow | null> = this.#attempt(slugKey, domainNo)
      .then((found) => (this.#running.get(id) === reading ? keep(found) : found))
      .finally(() => {
        if (this.#running.get(id) === reading) this.#running.delete(id)
      })
    this.#running.set(id, reading)
    return reading
  }

  /** The slug has changed: later visits don't join a read that began before. */
  detach(id: string): void {
    this.#running.delete(id)
  }

  detachAll(): void {
    this.#running.clear()
  }

  close(): void {
    clearTimeout(this.#retrying)
    this.#retrying = undefined
  }

  async #attempt(slugKey: string, domainNo: number): Promise<SlugRow | null> {
    try {
      return await this.#fetch(slugKey, domainNo)
    } catch (error) {
      if (error instanceof StorageUnavailable && !this.isDatabaseDown)
        this.#retryLater(slugKey, domainNo)
      throw error
    }
  }

  async #fetch(slugKey: string, domainNo: number): Promise<SlugRow | null> {
    const { fetch, fetchWithinMs } = this.#options
    const found = await readWithin(fetchWithinMs, fetch(slugKey, domainNo))
    this.isSlow = false
    return found
  }

  #retryLater(slugKey: string, domainNo: number): void {
    const retry = () =>
      this.#fetch(slugKey, domainNo).then(
        () => this.close(),
        () => this.isDatabaseDown && this.#retryLater(slugKey, domainNo),
      )
    this.#retrying = setTimeout(retry, this.#options.retryMs).unref()
  }
}

const LATE = Symbol('late')

/** @throws StorageUnavailable when it takes longer. */
export async function readWithin<T>(ms: number, work: Promise<T>): Promise<T> {
  const found = await withTimeout(ms, () => work, LATE)
  if (found === LATE) throw new StorageUnavailable('The database is slow')
  return found as T
}
