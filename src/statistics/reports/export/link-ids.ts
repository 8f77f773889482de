import type { LinkFacts } from '../names.ts'

/** Ids of links that are remembered. */
const REMEMBERED = 50_000
/** Where rows of an export have their link. */
const LINK = 3

/** The ids of links, looked up as an export comes to them. */
export function createLinkIds(names: Pick<LinkFacts, 'links'>) {
  const known = new Map<number, string | undefined>()
  return {
    known: known as ReadonlyMap<number, string | undefined>,
    /** Looks up those of some rows, which `createForm` takes. */
    async learn(rows: readonly (readonly unknown[])[]): Promise<void> {
      const seqs = new Set<number>()
      for (const row of rows) {
        const seq = Number(row[LINK])
        if (!known.has(seq)) seqs.add(seq)
      }
      if (seqs.size === 0) return
      if (known.size > REMEMBERED) {
        known.clear()
        for (const row of rows) seqs.add(Number(row[LINK]))
      }
      const found = await names.links([...seqs])
      for (const seq of seqs) known.set(seq, found.get(seq))
    },
  }
}
