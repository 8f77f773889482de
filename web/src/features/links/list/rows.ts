import { useNavigate, useRouter } from '@tanstack/react-router'
import { type MouseEvent, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { Color } from '../../groups/queries.ts'
import type { LinkActions } from '../actions.ts'
import type { Filing } from '../filing.tsx'
import type { Link } from '../queries.ts'
import type { MenuActions } from './row-menu.tsx'
import type { Selection } from './use-selection.ts'

/** The props of table and cards. */
export interface Rows {
  links: readonly Link[]
  sparklines: Readonly<Record<string, readonly number[]>> | undefined
  /** Colors by tag name. */
  colors: ReadonlyMap<string, Color> | undefined
  selection: Selection
  writable: boolean
  /** The link that was just created. */
  fresh: string | null
  actions: LinkActions
  onQr: (link: Link) => void
  onEdit: (link: Link) => void
  onRemove: (link: Link) => void
  filing: Pick<Filing, 'move' | 'tag'>
  onTag: (tag: string) => void
  onDuplicate: (link: Link) => void
  /** The search text. */
  query?: string | undefined
}

/** The actions of a row: the same functions for as long as the list is mounted. */
interface RowActions extends MenuActions {
  open(link: Link): void
  /** `isRange`: everything from the previously selected link to this one. */
  select(link: Link, isRange?: boolean): void
  narrow(tag: string): void
}

/** The props of one row. Rows are only rendered again if one of these changes. */
export interface RowProps {
  link: Link
  days: readonly number[] | undefined
  colors: ReadonlyMap<string, Color> | undefined
  selected: boolean
  fresh: boolean
  writable: boolean
  /** The search text. */
  query: string | undefined
  /** The URL of the link's page. */
  href: string
  actions: RowActions
}

/** The look of a selected row, whose lines would vanish in its background. */
export const SELECTED =
  'bg-accent-soft! [--line:color-mix(in_oklab,var(--accent)_30%,var(--accent-soft))]'

/** Derives each row's props from the list's. */
export function useRowProps(rows: Rows): (link: Link) => RowProps {
  const navigate = useNavigate()
  const router = useRouter()
  const latest = useRef(rows)
  useLayoutEffect(() => {
    latest.current = rows
  })
  const [actions] = useState<RowActions>(() => ({
    open: (link) => void navigate({ to: '/links/$id', params: { id: link.id } }),
    select(link, isRange) {
      const { selection, links } = latest.current
      if (isRange) selection.toggleTo(link, links)
      else selection.toggle(link)
    },
    copy: (link) => latest.current.actions.copy(link),
    toggle: (link) => latest.current.actions.toggle(link),
    archive: (link) => latest.current.actions.archive(link),
    move: (link) => latest.current.filing.move(link),
    tag: (link) => latest.current.filing.tag(link),
    duplicate: (link) => latest.current.onDuplicate(link),
    showQr: (link) => latest.current.onQr(link),
    edit: (link) => latest.current.onEdit(link),
    remove: (link) => latest.current.onRemove(link),
    narrow: (tag) => latest.current.onTag(tag),
  }))
  // One URL for all: the router's own link component would listen to every URL change, in each row.
  const { publicHref } = router.buildLocation({ to: '/links/$id', params: { id: ID } })
  const { sparklines, colors, selection, writable, fresh } = rows
  return (link) => ({
    link,
    days: sparklines?.[link.id],
    colors,
    selected: selection.has(link),
    fresh: fresh === link.id,
    writable,
    query: rows.query,
    href: publicHref.replace(ID, link.id),
    actions,
  })
}

const ID = 'lnk_0'

/** The height of a row of the table in pixels. */
export const ROW_PX = 44
/** What is above the first row at least: title, toolbar, and column headings. */
const ABOVE_PX = 160

/**
 * The links to render now. If most of a list is new, the visible ones are rendered first, and the
 * others afterwards, so that the result is visible in half the time.
 */
export function useFirstRows(links: readonly Link[]): readonly Link[] {
  const [drawn, setDrawn] = useState(EMPTY)
  useEffect(() => {
    // The second frame begins when the first is painted.
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => setDrawn(links))
    })
    return () => cancelAnimationFrame(frame)
  }, [links])
  const visible = Math.ceil((innerHeight - ABOVE_PX) / ROW_PX)
  if (drawn === links || links.length <= visible) return links
  const known = new Set(drawn.map(({ id }) => id))
  const fresh = links.filter(({ id }) => !known.has(id)).length
  return fresh < visible ? links : links.slice(0, visible)
}

const EMPTY: readonly Link[] = []

/** Preloads the code of a link's page. */
export function useLinkPageAhead(): () => void {
  const router = useRouter()
  return () => void router.preloadRoute({ to: '/links/$id', params: { id: ID } }).catch(() => {})
}

/** Follows a row's link within the page, unless another tab or window is requested. */
export function followInPlace(event: MouseEvent, open: () => void): void {
  const { button, metaKey, ctrlKey, shiftKey, altKey } = event
  if (event.defaultPrevented || button !== 0 || metaKey || ctrlKey || shiftKey || altKey) return
  event.preventDefault()
  open()
}
