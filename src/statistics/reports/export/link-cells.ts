import { SEQS_PER_WORKSPACE } from '../../../storage/index.ts'
import { CHUNK_ROWS } from '../../store/chunk.ts'
import type { LinkFacts } from '../names.ts'
import { createHashes } from '../reading/hashes.ts'
import { type Cells, createCells } from './cells.ts'

/** Links that are remembered: some 10 MB, and it takes as long to look one up as to write its click. */
const REMEMBERED = 150_000

/** The ids of links, looked up as an export comes to them. */
export interface LinkCells {
  readonly cells: Cells
  /** By click: its link's place among the cells. */
  readonly places: Uint32Array
  /** Looks up those of some clicks. @param links each as its two halves, the lower one first */
  learn(links: Uint32Array, count: number): Promise<void>
}

/**
 * @param spell how an id stands in a line; undefined: nobody knows the link any more
 * @param remembered with more links it begins anew; for tests
 */
export function createLinkCells(
  names: Pick<LinkFacts, 'links'>,
  spell: (id: string | undefined) => string,
  remembered = REMEMBERED,
): LinkCells {
  let hashes = createHashes()
  let cells = createCells()
  const places = new Uint32Array(CHUNK_ROWS)
  return {
    get cells() {
      return cells
    },
    places,
    async learn(links, count) {
      if (hashes.size > remembered) {
        hashes = createHashes()
        cells = createCells()
      }
      const unknown: number[] = []
      for (let row = 0; row < count; row++) {
        const low = links[row * 2] as number
        const high = links[row * 2 + 1] as number
        const before = hashes.size
        // As they lie in the table of hashes.
        places[row] = hashes.add(low | 0, high | 0, 0)
        if (hashes.size > before) unknown.push(high * SEQS_PER_WORKSPACE + low)
      }
      if (unknown.length === 0) return
      const found = await names.links(unknown)
      for (const link of unknown) cells.add(spell(found.get(link)))
    },
  }
}
