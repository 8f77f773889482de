import { useMemo, useRef, useState } from 'react'
import type { Link } from './calls.ts'

/** Links that were chosen, on whatever page they stand. */
export interface Selection {
  links: readonly Link[]
  count: number
  /** All links that the filters find are chosen, on whatever page: so many. Null: those of `links`. */
  found: number | null
  /** Chooses all that the filters find. */
  selectFound(total: number): void
  has(link: Link): boolean
  toggle(link: Link): void
  /** The same for all links of the list from the one that was toggled last to this one. */
  toggleTo(link: Link, links: readonly Link[]): void
  /** All of them, or none of them. */
  set(links: readonly Link[], on: boolean): void
  drop(ids: readonly string[]): void
  clear(): void
}

/** @param filters what the list is asked for: other filters find others, so none of them is chosen */
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
