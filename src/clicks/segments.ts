import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** A position in the journal: a segment's number and a byte in it. */
export interface Position {
  segment: number
  offset: number
}

/** Whether a position is before another. */
export function isBefore(a: Position, b: Position): boolean {
  return a.segment < b.segment || (a.segment === b.segment && a.offset < b.offset)
}

const NAME = /^(\d{8,})\.log$/

/** The journal's directory. */
export function journalDirectory(dataDir: string): string {
  return join(dataDir, 'journal')
}

/** The file of a segment. */
export function segmentFile(directory: string, segment: number): string {
  return join(directory, `${String(segment).padStart(8, '0')}.log`)
}

/** The segments that exist, oldest first. Empty when there is no journal yet. */
export function listSegments(directory: string): number[] {
  let names: string[]
  try {
    names = readdirSync(directory)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
  return names.flatMap((name) => Number(NAME.exec(name)?.[1]) || []).sort((a, b) => a - b)
}

/** Bytes in a segment; 0 if it has been deleted. */
export function segmentSize(directory: string, segment: number): number {
  return statSync(segmentFile(directory, segment), { throwIfNoEntry: false })?.size ?? 0
}
