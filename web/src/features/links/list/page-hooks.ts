import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useState } from 'react'
import { isBusy, isTyping, useShortcuts } from '../../../app/shortcuts.ts'
import { usePlace } from '../../../app/workspace.tsx'
import { useLeadingDebounce } from '../../../lib/use-debounced.ts'
import type { LinkActions } from '../actions.ts'
import type { Filing } from '../filing.tsx'
import { copyOf, emptyDraft } from '../form/draft.ts'
import { keepDraft, keptDraft } from '../form/kept-draft.ts'
import { type Link, linksQuery, sparklinesQuery } from '../queries.ts'
import type { LinksSearch, SearchChange } from '../search.ts'
import { useNewLink } from '../use-new-link.ts'
import { focusRow, rowLink, useRowKeys } from './row-keys.ts'
import type { Selection } from './use-selection.ts'

const route = getRouteApi('/shell/links')

/** Functions that change the page's URL. */
export function useSearchChanges() {
  const navigate = route.useNavigate()
  /** Another query begins at its first page. */
  const ask = (change: SearchChange, replace = false) =>
    navigate({
      search: ({ cursor: _, from: __, ...before }) => withoutEmpty({ ...before, ...change }),
      replace,
    })
  const open = (change: SearchChange) =>
    navigate({ search: (before) => withoutEmpty({ ...before, ...change }) })
  const close = (focus: string | undefined) => {
    void navigate({
      search: ({ create: _, edit: __, qr: ___, ...before }) => before,
      replace: true,
    }).then(() => focus && focusRow(focus))
  }
  return { ask, open, close }
}

/** Opens the form with a copy of a link. */
export function useDuplicate(): (link: Link) => void {
  const newLink = useNewLink()
  return (link) => newLink(copyOf(link))
}

/** The keyboard shortcuts of the page. */
export function usePageKeys({
  links,
  selection,
  actions,
  writable,
  open,
  filing,
  remove,
}: {
  links: readonly Link[]
  selection: Selection
  actions: LinkActions
  writable: boolean
  open: (change: SearchChange) => unknown
  filing: Pick<Filing, 'move' | 'tag'>
  remove: (link: Link) => Promise<void>
}): void {
  const navigate = route.useNavigate()
  const create = () => void open({ create: true })
  // Otherwise they act on the whole selection.
  const onRow = selection.count === 0 && {
    tag: filing.tag,
    move: filing.move,
    remove: (link: Link) => void remove(link),
  }
  useRowKeys(links, {
    copy: (link) => void actions.copy(link),
    showStatistics: ({ id }) => void navigate({ to: '/links/$id/statistics', params: { id } }),
    ...(writable
      ? {
          select: selection.toggle,
          edit: (link: Link) => void open({ edit: link.id }),
          ...onRow,
        }
      : {}),
  })
  useShortcuts({ Escape: selection.clear, ...(writable ? { c: create } : {}) })
  usePastedAddress(writable, { create: actions.createAndCopy, refused: create })
}

/** Creates a link for a URL pasted on the page, outside of fields, and copies it. */
function usePastedAddress(
  enabled: boolean,
  { create, refused }: { create: (url: string) => Promise<unknown>; refused: () => void },
) {
  const { workspace, instance } = usePlace()
  const add = useEffectEvent((url: string) => {
    create(url).catch(() => {
      // The form shows what is wrong with it.
      const draft = keptDraft(workspace.id) ?? emptyDraft(instance.default_domain)
      keepDraft(workspace.id, { ...draft, destination_url: url })
      refused()
    })
  })
  useEffect(() => {
    if (!enabled) return
    const onPaste = (event: ClipboardEvent) => {
      const text = event.clipboardData?.getData('text/plain').trim() ?? ''
      if (isBusy() || isTyping(event.target) || !/^https?:\/\/[^\s]+$/i.test(text)) return
      event.preventDefault()
      add(text)
    }
    document.addEventListener('paste', onPaste)
    return () => document.removeEventListener('paste', onPaste)
  }, [enabled])
}

/** The search that found the shown rows: marking the next one's matches would render all of them twice. */
export function useShownQuery(query: string | undefined, isBefore: boolean): string | undefined {
  const [shown, setShown] = useState(query)
  if (isBefore || shown === query) return shown
  setShown(query)
  return query
}

/** The sparklines of these links; while typing, of the last stable list. */
export function useSparklines(links: readonly Link[]) {
  const { workspace } = usePlace()
  const shown = useLeadingDebounce(links.map(({ id }) => id).join(), 250)
  const ids = shown === '' ? [] : shown.split(',')
  return useQuery({
    ...sparklinesQuery(workspace.id, ids),
    // Links that were shown before keep their line.
    placeholderData: keepPreviousData,
  }).data
}

/** Prefetches the next page. */
export function useNextPage(cursor: string | null | undefined, asked: LinksSearch) {
  const client = useQueryClient()
  const { workspace } = usePlace()
  const key = JSON.stringify(asked)
  useEffect(() => {
    if (!cursor) return
    const next = linksQuery(workspace.id, { ...(JSON.parse(key) as LinksSearch), cursor })
    const timer = setTimeout(() => void client.prefetchQuery(next), 400)
    return () => clearTimeout(timer)
  }, [cursor, key, client, workspace.id])
}

/** Focuses a link that was just created, once its row is rendered. */
export function useCreatedFocus(id: string | null, links: readonly Link[]): void {
  const there = id !== null && links.some((link) => link.id === id)
  useEffect(() => {
    // After the panel has restored the focus.
    if (there && id !== null) requestAnimationFrame(() => rowLink(id)?.focus())
  }, [there, id])
}

/** Only the set parameters are in the URL. */
export function withoutEmpty(search: SearchChange): LinksSearch {
  return Object.fromEntries(
    Object.entries(search).filter(
      ([, value]) =>
        value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0),
    ),
  )
}
