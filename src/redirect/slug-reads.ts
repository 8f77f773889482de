import { StorageUnavailable } from '../storage/index.ts'
import type { SlugRow } from './resolver.ts'
import { idOf } from './slug-cache.ts'

/** What it works with. Times are milliseconds. */
export interface SlugReadsOptions {
  /** Reads a slug from the database. @throws StorageUnavailable */
  fetch: (slugKey: string, domainNo: number) => Promise<SlugRow | null>
  /** How long a visit waits where nothing is remembered; the database counts as away after that. */
  fetchWithinMs: number
  /** How often the database is tried while it is away. */
  retryMs: number
  /** How many slugs are read at the same time; beyond, visits of others are refused. */
  fetchesMax: number
}

/** Reads of slugs under way, one for each slug; and whether the database answers. */
export class SlugReads {
  /** A visit has waited too long for the database, and no read has succeeded since. */
  isSlow = false
  readonly #options: SlugReadsOptions
  readonly #running = new Map<string, Promise<SlugRow | null>>()
  #retrying: Timer | undefined

  constructor(options: SlugReadsOptions) {
    this.#options = options
  }

  /** The database can't be read; it is tried again and again. */
  get away(): boolean {
    return this.#retrying !== undefined
  }

  /** Whether a slug can be read now: few enough are being read, or it is one of them. */
  hasRoomFor(slugKey: string, domainNo: number): boolean {
    const { size } = this.#running
    return size < this.#options.fetchesMax || this.#running.has(idOf(slugKey, domainNo))
  }

  /**
   * Reads a slug, or joins the read that is under way. `keep` gets the result, unless the read was
   * detached meanwhile, and gives what the visits get. @throws StorageUnavailable
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

  /** The slug has changed: visits after this don't join a read that began before. */
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
      if (error instanceof StorageUnavailable && !this.away) this.#retryLater(slugKey, domainNo)
      throw error
    }
  }

  async #fetch(slugKey: string, domainNo: number): Promise<SlugRow | null> {
    const { fetch, fetchWithinMs } = this.#options
    const found = await within(fetch(slugKey, domainNo), fetchWithinMs)
    this.isSlow = false
    return found
  }

  #retryLater(slugKey: string, domainNo: number): void {
    const retry = () =>
      this.#fetch(slugKey, domainNo).then(
        () => this.close(),
        () => this.away && this.#retryLater(slugKey, domainNo),
      )
    this.#retrying = setTimeout(retry, this.#options.retryMs).unref()
  }
}

/** @throws StorageUnavailable when it takes longer. */
export async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: Timer | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new StorageUnavailable('The database is slow')), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
