import type { LinkChange } from '../platform/storage/index.ts'
import { idOf } from './slug-cache.ts'

/** A read of rows for the cache. */
export interface Reading {
  /** When it began, in milliseconds since the epoch. */
  readonly at: number
  /** The generation in which it began; see `CachedSlug`. */
  readonly generation: number
  /** Slugs and links that have changed since, so that the read may have missed it. */
  readonly changed: Set<string | number>
  /** Slugs that a visit has read since: which of the two reads is the newer one isn't known. */
  readonly visited: Set<string>
}

/** Running reads of rows. */
export class Readings {
  readonly #running = new Set<Reading>()

  /** Reads rows, and passes them to `take` with what has changed in the meantime. */
  async run<T>(
    begun: Pick<Reading, 'at' | 'generation'>,
    read: () => Promise<T>,
    take: (value: T, reading: Reading) => void,
  ): Promise<T> {
    const reading: Reading = { ...begun, changed: new Set(), visited: new Set() }
    this.#running.add(reading)
    try {
      const value = await read()
      take(value, reading)
      return value
    } finally {
      this.#running.delete(reading)
    }
  }

  changed(change: LinkChange): void {
    const id = 'linkSeq' in change ? change.linkSeq : idOf(change.slugKey, change.domainNo)
    for (const { changed } of this.#running) changed.add(id)
  }

  /** A visit has read a slug. */
  visited(id: string): void {
    for (const { visited } of this.#running) visited.add(id)
  }
}
