import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Logger } from '../lib/base/logger.ts'
import { syncDirectory } from '../lib/base/replace-file.ts'
import { cutTornTail, type JournalIo } from './journal-io.ts'
import { type Segment, SegmentWriter } from './segment-writer.ts'
import { listSegments, type Position, segmentFile, segmentSize } from './segments.ts'

/** Options of a journal; sizes in bytes. */
export interface JournalOptions {
  directory: string
  /** No segment up to this one is written again, even if its file is missing. */
  after?: number
  logger?: Pick<Logger, 'error' | 'info'>
  segmentBytes?: number
  /** The size of the buffer for writes that fail. */
  bufferBytes?: number
  retryMs?: number
  /** Called when the buffer has been written. */
  recovered?: () => void
  io?: JournalIo
}

interface Chunk {
  text: string
  records: number
}

/** Opens the journal for writing, in a new segment. One process at a time. */
export function openJournal(options: JournalOptions): Journal {
  const { directory, after = 0 } = options
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  // Without its name, synced segments wouldn't survive a power cut either.
  syncDirectory(dirname(directory))
  const newest = listSegments(directory).at(-1)
  if (newest !== undefined) cutTornTail(segmentFile(directory, newest))
  // Each process starts a new segment: whatever a power cut left in the last one, nothing is
  // written after it, and readers may skip what they can't read there.
  return new Journal(options, Math.max(newest ?? 0, after) + 1)
}

/**
 * The journal of clicks: append-only segments. What {@link Journal.append} has written survives the
 * process's death, because the operating system has it. An asynchronous sync every 100 ms limits
 * what a power cut can lose.
 */
export class Journal {
  readonly #options: JournalOptions
  readonly #segments: SegmentWriter
  readonly #segmentBytes: number
  readonly #bufferBytes: number
  #chunks: Chunk[] = []
  #chunkBytes = 0
  /** How much of the first chunk is written already. */
  #written = 0
  #lost = 0
  #isWriting = true
  #retryTimer: Timer | undefined

  constructor(options: JournalOptions, firstSegment: number) {
    this.#options = options
    this.#segments = new SegmentWriter(options, firstSegment)
    this.#segmentBytes = options.segmentBytes ?? 16_777_216
    this.#bufferBytes = options.bufferBytes ?? 16_777_216
  }

  /**
   * Writes complete lines (ASCII) in one call. Never throws: if the disk fails, lines wait in the
   * buffer; when that is full the oldest are dropped and counted as lost.
   */
  append(lines: string, records: number): void {
    this.#chunks.push({ text: lines, records })
    this.#chunkBytes += lines.length
    while (this.#chunkBytes > this.#bufferBytes && this.#chunks.length > 1) this.#dropOldest()
    if (this.#isWriting) this.#drain()
  }

  /** False while lines wait in memory, or the last sync failed. */
  get healthy(): boolean {
    return this.#isWriting && this.#segments.isSynced
  }

  /** Clicks dropped since the start. */
  get lost(): number {
    return this.#lost
  }

  /** The position of the next byte. */
  get position(): Position {
    return this.#segments.position
  }

  /** Bytes on the disk after `from`, including later segments. */
  bytesAfter(from: Position): number {
    const { directory } = this.#options
    let bytes = 0
    for (const no of listSegments(directory)) {
      if (no < from.segment) continue
      const size = segmentSize(directory, no)
      bytes += no === from.segment ? Math.max(0, size - from.offset) : size
    }
    return bytes
  }

  /** Resolves when everything written is synced to disk; rejects when the sync fails. */
  sync(): Promise<void> {
    return this.#segments.sync()
  }

  /** Writes and syncs the rest. */
  async close(): Promise<void> {
    if (this.#chunks.length > 0) this.#drain()
    clearTimeout(this.#retryTimer)
    for (const chunk of this.#chunks) this.#lost += chunk.records
    this.#chunks = []
    await this.#segments.close()
  }

  #dropOldest(): void {
    const oldest = this.#chunks.splice(this.#written > 0 ? 1 : 0, 1)[0] as Chunk
    this.#chunkBytes -= oldest.text.length
    this.#lost += oldest.records
  }

  #drain(): void {
    const { logger } = this.#options
    let target: Segment | undefined
    try {
      for (let chunk = this.#chunks[0]; chunk !== undefined; chunk = this.#chunks[0]) {
        target = this.#segments.current(this.#written === 0 ? this.#segmentBytes : Infinity)
        const rest = this.#written === 0 ? chunk.text : chunk.text.slice(this.#written)
        this.#advance(chunk, this.#segments.write(target, rest))
      }
      const isRecovered = !this.#isWriting
      this.#isWriting = true
      if (!isRecovered) return
      logger?.info({ lost: this.#lost }, 'The journal can be written again')
      this.#options.recovered?.()
    } catch (error) {
      if (this.#isWriting) logger?.error({ err: error }, 'The journal can not be written')
      this.#isWriting = false
      if (target !== undefined) this.#recover(target, error)
      this.#retryTimer ??= setTimeout(() => this.#retry(), this.#options.retryMs ?? 250)
    }
  }

  #retry(): void {
    this.#retryTimer = undefined
    if (this.#chunks.length > 0) this.#drain()
  }

  #advance(chunk: Chunk, bytes: number): void {
    this.#written += bytes
    if (this.#written < chunk.text.length) return
    this.#chunks.shift()
    this.#chunkBytes -= chunk.text.length
    this.#written = 0
  }

  /**
   * A failed write may have been partial: the file's size shows how much. A full disk is waited
   * for. Other errors concern the file, so the torn line is written again to a new one (readers
   * skip it in the old one, because it has no end).
   */
  #recover(target: Segment, error: unknown): void {
    const chunk = this.#chunks[0]
    if (chunk === undefined) return
    const extra = this.#segments.unseenBytes(target)
    if (extra > 0) {
      const bytes = Math.min(extra, chunk.text.length - this.#written)
      target.size += bytes
      this.#advance(chunk, bytes)
    }
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOSPC' || code === 'EDQUOT') return
    // The lines before the torn one are written. A new segment starts at a line.
    if (this.#written > 0) {
      const start = chunk.text.lastIndexOf('\n', this.#written - 1) + 1
      chunk.text = chunk.text.slice(start)
      this.#chunkBytes -= start
      this.#written = 0
    }
    this.#segments.retire()
  }
}
