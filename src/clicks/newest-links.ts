import { readJournal } from './segment-reader.ts'
import { listSegments, type Position, segmentSize } from './segments.ts'

/** How much of a long journal is read, at its end: some 200,000 clicks, in half a second. */
const BYTES = 67_108_864

/**
 * The links that have clicks in a journal behind a position, each once. Of a long rest only the end
 * is read: the newest links are clicked last.
 */
export function newestInJournal(directory: string, counted: Position): number[] {
  let from = counted
  let bytes = 0
  for (const segment of listSegments(directory).reverse()) {
    bytes += segmentSize(directory, segment)
    if (segment <= counted.segment) break
    if (bytes > BYTES) {
      from = { segment, offset: 0 }
      break
    }
  }
  const links = new Set<number>()
  readJournal(
    directory,
    from,
    () => true,
    (record) => void links.add(record[2]),
  )
  return [...links]
}
