import { useMemo, useRef, useState } from 'react'
import type { Link } from '../queries.ts'

/** The selected links, across pages. */
export interface Selection {
  links: readonly Link[]
  count: number
  /** The number of matches if all of them are selected, across pages. Null: only `links` are. */
  found: number | null
  /** Selects all matches of the filters. */
  selectFound(total: number): void
  has(link: Link): boolean
  toggle(link: Link): void
  /** The same for all links of the list from the last toggled one to this one. */
  toggleTo(link: Link, links: readonly Link[]): void
  /** Selects all of them, or none. */
  set(links: readonly Link[], on: boolean): void
  drop(ids: readonly string[]): void
  clear(): void
}

/** @param filters the list's filters: others end the selection of all matches, not that of single links */
export function useSelection(filters: string): Selection {
  const [chosen, setChosen] = useState<ReadonlyMap<string, Link>>(new Map())
  const [all, setAll] = useState<{ filters: string; total: number } | null>(null)
  const found = all?.filters === filters ? all.total : null
  const last = useRef<string>(undefined)
  return useMemo(() => {
    const set = (links: readonly Link[], on: boolean) => {
      setAll(null)
      setChosen((before) => {
        const next = new Map(before)
        for (const link of links) on ? next.set(link.id, link) : next.delete(link.id)
        return next
      })
    }
    return {
      links: [...chosen.values()],
      count: found ?? chosen.size,
      found,
      selectFound: (total) => setAll({ filters, total }),
      has: ({ id }) => found !== null || chosen.has(id),
      toggle(link) {
        last.current = link.id
        set([link], !chosen.has(link.id))
      },
      toggleTo(link, links) {
        const [from, to] = [last.current, link.id]
          .map((id) => links.findIndex((one) => one.id === id))
          .sort((a, b) => a - b) as [number, number]
        last.current = link.id
        set(from === -1 ? [link] : links.slice(from, to + 1), !chosen.has(link.id))
      },
      set,
      drop: (ids) =>
        setChosen((before) => {
          if (!ids.some((id) => before.has(id))) return before
          const next = new Map(before)
          for (const id of ids) next.delete(id)
          return next
        }),
      clear() {
        setAll(null)
        setChosen((before) => (before.size === 0 ? before : new Map()))
      },
    }
  }, [chosen, found, filters])
}
