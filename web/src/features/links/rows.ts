import { useNavigate, useRouter } from '@tanstack/react-router'
import { type MouseEvent, useDeferredValue, useRef, useState } from 'react'
import type { Colour } from '../groups/calls.ts'
import type { LinkActions } from './actions.ts'
import type { Link } from './calls.ts'
import type { Selection } from './use-selection.ts'

/** What table and cards show. */
export interface Rows {
  links: readonly Link[]
  sparklines: Readonly<Record<string, readonly number[]>> | undefined
  /** By the names of tags. */
  colours: ReadonlyMap<string, Colour> | undefined
  selection: Selection
  writable: boolean
  /** The link that was just made. */
  fresh: string | null
  actions: LinkActions
  onEdit: (link: Link) => void
  onRemove: (link: Link) => void
  onMove: (link: Link) => void
  onTag: (tag: string) => void
  onDuplicate: (link: Link) => void
  /** What was searched for. */
  query?: string | undefined
}

/** What can be done with a row: the same functions for as long as the list is there. */
interface RowDoes extends Pick<LinkActions, 'copy' | 'toggle' | 'archive'> {
  open(link: Link): void
  /** `isRange`: all from the one before that to this one. */
  select(link: Link, isRange?: boolean): void
  edit(link: Link): void
  remove(link: Link): void
  move(link: Link): void
  duplicate(link: Link): void
  narrow(tag: string): void
}

/** One row's own. Rows are drawn anew only when one of these is another one. */
export interface RowProps {
  link: Link
  days: readonly number[] | undefined
  colours: ReadonlyMap<string, Colour> | undefined
  selected: boolean
  fresh: boolean
  writable: boolean
  /** What was searched for. */
  query: string | undefined
  /** Where the link's page is. */
  href: string
  does: RowDoes
}

/** Takes a list apart into what each row has to know. */
export function useRowProps(rows: Rows): (link: Link) => RowProps {
  const navigate = useNavigate()
  const router = useRouter()
  const latest = useRef(rows)
  latest.current = rows
  const [does] = useState<RowDoes>(() => ({
    open: (link) => void navigate({ to: '/links/$id', params: { id: link.id } }),
    select(link, isRange) {
      const { selection, links } = latest.current
      if (isRange) selection.toggleTo(link, links)
      else selection.toggle(link)
    },
    copy: (link) => latest.current.actions.copy(link),
    toggle: (link) => latest.current.actions.toggle(link),
    archive: (link) => latest.current.actions.archive(link),
    move: (link) => latest.current.onMove(link),
    duplicate: (link) => latest.current.onDuplicate(link),
    edit: (link) => latest.current.onEdit(link),
    remove: (link) => latest.current.onRemove(link),
    narrow: (tag) => latest.current.onTag(tag),
  }))
  // One address for all: the router's own link listens to every change of the address, in each row.
  const { publicHref } = router.buildLocation({ to: '/links/$id', params: { id: ID } })
  const { sparklines, colours, selection, writable, fresh } = rows
  return (link) => ({
    link,
    days: sparklines?.[link.id],
    colours,
    selected: selection.has(link),
    fresh: fresh === link.id,
    writable,
    query: rows.query,
    href: publicHref.replace(ID, link.id),
    does,
  })
}

const ID = 'lnk_0'

/** So many rows fill a high screen. */
const FIRST_ROWS = 24

/**
 * The links to be drawn now. Of a list that is mostly new those on screen come first, and the others
 * as soon as these stand; so what was asked for is seen in half the time.
 */
export function useFirstRows(links: readonly Link[]): readonly Link[] {
  const drawn = useDeferredValue(links, EMPTY)
  if (drawn === links || links.length <= FIRST_ROWS) return links
  const known = new Set(drawn.map(({ id }) => id))
  const fresh = links.filter(({ id }) => !known.has(id)).length
  return fresh < FIRST_ROWS ? links : links.slice(0, FIRST_ROWS)
}

const EMPTY: readonly Link[] = []

/** Has the program of a link's page there before one is opened. */
export function useLinkPageAhead(): () => void {
  const router = useRouter()
  return () => void router.preloadRoute({ to: '/links/$id', params: { id: ID } }).catch(() => {})
}

/** Follows a row's link within the page, unless another tab or window is wished for. */
export function followInPlace(event: MouseEvent, open: () => void): void {
  const { button, metaKey, ctrlKey, shiftKey, altKey } = event
  if (event.defaultPrevented || button !== 0 || metaKey || ctrlKey || shiftKey || altKey) return
  event.preventDefault()
  open()
}
