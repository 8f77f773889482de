import type { Logger } from '../lib/base/logger.ts'
import { type JournalIo, systemIo } from './journal-io.ts'
import { type Position, segmentFile } from './segments.ts'

/** A segment that is open for writing. */
export interface Segment {
  readonly no: number
  readonly descriptor: number
  size: number
}

interface SegmentOptions {
  directory: string
  logger?: Pick<Logger, 'error'>
  io?: JournalIo
}

const SYNC_EVERY_MS = 100

/** Writes the journal's segments and syncs them asynchronously. */
export class SegmentWriter {
  readonly #directory: string
  readonly #io: JournalIo
  readonly #logger: SegmentOptions['logger']
  #nextNo: number
  #current: Segment | undefined
  readonly #retired: Segment[] = []
  #isUnsynced = false
  #syncing: Promise<void> | undefined
  #syncTimer: Timer | undefined
  /** False after a failed sync. */
  isSynced = true

  constructor({ directory, io = systemIo, logger }: SegmentOptions, firstNo: number) {
    this.#directory = directory
    this.#io = io
    this.#logger = logger
    this.#nextNo = firstNo
  }

  get position(): Position {
    return { segment: this.#current?.no ?? this.#nextNo, offset: this.#current?.size ?? 0 }
  }

  /** The current segment; a new one when the last one has `limit` bytes. */
  current(limit: number): Segment {
    if (this.#current !== undefined && this.#current.size >= limit) this.retire()
    if (this.#current === undefined) {
      const descriptor = this.#io.open(segmentFile(this.#directory, this.#nextNo))
      this.#current = { no: this.#nextNo++, descriptor, size: 0 }
    }
    return this.#current
  }

  retire(): void {
    if (this.#current !== undefined) this.#retired.push(this.#current)
    this.#current = undefined
  }

  write(segment: Segment, text: string): number {
    const bytes = this.#io.write(segment.descriptor, text)
    segment.size += bytes
    if (bytes > 0) this.#syncSoon()
    return bytes
  }

  /** Bytes that a failed write has written nevertheless. */
  unseenBytes(segment: Segment): number {
    try {
      const bytes = this.#io.size(segment.descriptor) - segment.size
      if (bytes > 0) this.#syncSoon()
      return bytes
    } catch {
      // The descriptor is unusable.
      return 0
    }
  }

  async sync(): Promise<void> {
    // A running sync may have begun before the caller's lines were written.
    while (this.#syncing !== undefined) await this.#syncing.catch(() => {})
    if (!this.#isUnsynced && this.#retired.length === 0) return
    this.#syncing = this.#syncNow()
    try {
      await this.#syncing
    } finally {
      this.#syncing = undefined
    }
  }

  async close(): Promise<void> {
    try {
      await this.sync()
    } finally {
      clearTimeout(this.#syncTimer)
      if (this.#current !== undefined) this.#io.close(this.#current.descriptor)
      this.#current = undefined
    }
  }

  #syncSoon(): void {
    this.#isUnsynced = true
    this.#syncTimer ??= setTimeout(() => {
      this.#syncTimer = undefined
      this.sync().catch(() => {})
    }, SYNC_EVERY_MS).unref()
  }

  async #syncNow(): Promise<void> {
    this.#isUnsynced = false
    const closing = this.#retired.splice(0)
    const written = this.#current === undefined ? closing : [...closing, this.#current]
    try {
      for (const { descriptor } of written) {
        await new Promise<void>((resolve, reject) =>
          this.#io.sync(descriptor, (error) => (error === null ? resolve() : reject(error))),
        )
      }
      this.isSynced = true
    } catch (error) {
      if (this.isSynced) this.#logger?.error({ err: error }, 'The journal can not be synced')
      this.isSynced = false
      this.#syncSoon()
      throw error
    } finally {
      for (const { descriptor } of closing) this.#io.close(descriptor)
    }
  }
}
