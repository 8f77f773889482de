import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { isBusy, isTyping, useShortcuts } from '../../app/shortcuts.ts'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { useMedia } from '../../lib/media.ts'
import { part } from '../../lib/part.ts'
import { useCalmed } from '../../lib/use-debounced.ts'
import { Button } from '../../ui/button.tsx'
import { cx } from '../../ui/cx.ts'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useLinkActions } from './actions.ts'
import { type Link, linkQuery, linksQuery, sparklinesQuery } from './calls.ts'
import { FilterChips } from './filter-chips.tsx'
import { emptyDraft } from './form/draft.ts'
import { keepDraft, keptDraft } from './form/kept-draft.ts'
import { keepSearch } from './last-search.ts'
import { LinkCards, LinkCardsSkeleton } from './link-cards.tsx'
import { LinkTable, LinkTableSkeleton } from './link-table.tsx'
import { NoLinks, NothingFound } from './none.tsx'
import { Pager } from './pager.tsx'
import { focusRow, rowLink, useRowKeys } from './row-keys.ts'
import type { LinksSearch, SearchChange } from './search.ts'
import { Toolbar } from './toolbar.tsx'
import { useSelection } from './use-selection.ts'

const CreatePanel = lazy(async () => ({
  default: (await part(() => import('./form/index.ts'))).CreatePanel,
}))
const BulkBar = lazy(async () => ({
  default: (await part(() => import('./bulk-bar.tsx'))).BulkBar,
}))
const EditPanel = lazy(async () => ({
  default: (await part(() => import('./form/index.ts'))).EditPanel,
}))

const route = getRouteApi('/shell/links')

/** What the address says beside which page is shown. */
const FILTERS = ['q', 'tag', 'domain', 'status', 'after', 'before'] as const

/** The links of the workspace. */
export function LinksPage() {
  const { t } = useI18n()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const client = useQueryClient()
  const place = usePlace()
  const { workspace } = place
  const writable = place.may('links:write')
  const wide = useMedia('(min-width: 64rem)')
  const actions = useLinkActions()
  const selection = useSelection()
  const [fresh, setFresh] = useState<string | null>(null)

  const { create, edit, ...listSearch } = search
  const list = useQuery(linksQuery(workspace.id, listSearch))
  const { data, isPlaceholderData, error } = list
  const links = data?.data ?? []
  const sparklines = useSparklines(links)
  const edited = useQuery({
    ...linkQuery(workspace.id, edit ?? ''),
    enabled: edit !== undefined,
    initialData: () => links.find(({ id }) => id === edit),
  }).data

  useEffect(() => keepSearch(search), [search])
  useNextPage(data?.pagination.next_cursor, listSearch)

  /** Another question begins at its first page. */
  const ask = (change: SearchChange, replace = false) =>
    navigate({
      search: ({ cursor: _, from: __, ...before }) => withoutEmpty({ ...before, ...change }),
      replace,
    })
  const open = (change: SearchChange) =>
    navigate({ search: (before) => withoutEmpty({ ...before, ...change }) })
  const close = (focus: string | undefined) => {
    void navigate({
      search: ({ create: _, edit: __, ...before }) => before,
      replace: true,
    }).then(() => focus && focusRow(focus))
  }

  useRowKeys(links, {
    select: selection.toggle,
    copy: (link) => void actions.copy(link),
    ...(writable
      ? {
          edit: (link: Link) => void open({ edit: link.id }),
          remove: (link: Link) => void removeAndMove(link),
        }
      : {}),
  })
  useShortcuts({
    Escape: selection.clear,
    ...(writable ? { c: () => void open({ create: true }) } : {}),
  })
  usePastedAddress(writable, () => void open({ create: true }))

  async function removeAndMove(link: Link) {
    const at = links.findIndex(({ id }) => id === link.id)
    const next = links[at + 1] ?? links[at - 1]
    selection.drop([link.id])
    const removing = actions.remove(link)
    if (next) focusRow(next.id)
    await removing
  }

  function onCreated(link: Link) {
    setFresh(link.id)
    client.removeQueries({ queryKey: ['links', 'check'] })
    // Where filters or another page would hide it, it is shown on its own page.
    const hidden =
      FILTERS.some((name) => search[name] !== undefined) || search.cursor || search.sort
    if (hidden) void navigate({ to: '/links/$id', params: { id: link.id } })
    else close(undefined)
  }

  const filtered = FILTERS.some((name) => search[name] !== undefined)
  const rows = {
    links,
    sparklines,
    selection,
    writable,
    fresh,
    actions,
    onEdit: (link: Link) => void open({ edit: link.id }),
    onRemove: (link: Link) => void removeAndMove(link),
    onTag: (tag: string) => void ask({ tag: [...new Set([...(search.tag ?? []), tag])] }),
  }
  const toolbar = (
    <Toolbar
      search={search}
      ask={ask}
      total={data?.pagination.total}
      isExact={data?.pagination.total_is_exact}
    />
  )
  const none = data !== undefined && links.length === 0 && !isPlaceholderData

  return (
    <Page
      title={t('shell.links')}
      actions={
        writable ? (
          <Button
            variant="primary"
            icon={<Plus size={16} aria-hidden="true" />}
            onClick={() => open({ create: true })}
          >
            {t('links.create')}
          </Button>
        ) : null
      }
    >
      {none && !filtered && search.cursor === undefined ? (
        <NoLinks writable={writable} onCreate={() => open({ create: true })} />
      ) : (
        <>
          {selection.count > 0 && writable ? (
            <Suspense fallback={toolbar}>
              <BulkBar selection={selection} />
            </Suspense>
          ) : (
            toolbar
          )}
          <FilterChips search={search} ask={ask} />
          {error && data === undefined ? (
            <Problem error={error} onRetry={() => list.refetch()} />
          ) : none ? (
            <NothingFound
              onClear={() => void navigate({ search: {} })}
              paged={search.cursor !== undefined}
            />
          ) : (
            <div
              aria-busy={isPlaceholderData || data === undefined}
              className={cx('transition-opacity', isPlaceholderData && 'opacity-60 delay-150')}
            >
              {data === undefined ? (
                wide ? (
                  <LinkTableSkeleton writable={writable} />
                ) : (
                  <LinkCardsSkeleton />
                )
              ) : wide ? (
                <LinkTable {...rows} search={search} ask={ask} />
              ) : (
                <LinkCards {...rows} />
              )}
              {data === undefined ? null : (
                <Pager
                  pagination={data.pagination}
                  shown={links.length}
                  from={search.from ?? 0}
                  go={(cursor, from) =>
                    void navigate({
                      search: ({ cursor: _, from: __, ...before }) =>
                        withoutEmpty({ ...before, cursor, from }),
                    })
                  }
                />
              )}
            </div>
          )}
        </>
      )}
      <Suspense>
        {create && writable ? (
          <CreatePanel onClose={() => close(undefined)} onCreated={onCreated} />
        ) : null}
        {edited && edit && writable ? (
          <EditPanel key={edited.id} link={edited} onClose={() => close(edited.id)} />
        ) : null}
      </Suspense>
      <CreatedFocus id={fresh} links={links} />
    </Page>
  )
}

/** An address that is pasted on the page, not into a field, begins a new link. */
function usePastedAddress(enabled: boolean, begin: () => void) {
  const { workspace, instance } = usePlace()
  const latest = useRef(begin)
  latest.current = begin
  useEffect(() => {
    if (!enabled) return
    const onPaste = (event: ClipboardEvent) => {
      const text = event.clipboardData?.getData('text/plain').trim() ?? ''
      if (isBusy() || isTyping(event.target) || !/^https?:\/\/[^\s]+$/i.test(text)) return
      event.preventDefault()
      const draft = keptDraft(workspace.id) ?? emptyDraft(instance.default_domain)
      keepDraft(workspace.id, { ...draft, destination_url: text })
      latest.current()
    }
    document.addEventListener('paste', onPaste)
    return () => document.removeEventListener('paste', onPaste)
  }, [enabled, workspace.id, instance.default_domain])
}

/** The lines of these links; while somebody types, of the links that they come to rest on. */
function useSparklines(links: readonly Link[]) {
  const { workspace } = usePlace()
  const shown = useCalmed(links.map(({ id }) => id).join(), 250)
  const ids = shown === '' ? [] : shown.split(',')
  return useQuery({
    ...sparklinesQuery(workspace.id, ids),
    // A link that was there before keeps its line.
    placeholderData: keepPreviousData,
  }).data?.data
}

/** Has the next page there before it is asked for. */
function useNextPage(cursor: string | null | undefined, asked: LinksSearch) {
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

/** Gives the focus to a link that was just made, once its row is there. */
function CreatedFocus({ id, links }: { id: string | null; links: readonly Link[] }) {
  const there = id !== null && links.some((link) => link.id === id)
  useEffect(() => {
    // After the panel has given the focus back.
    if (there && id !== null) requestAnimationFrame(() => rowLink(id)?.focus())
  }, [there, id])
  return null
}

function withoutEmpty(search: SearchChange): LinksSearch {
  return Object.fromEntries(
    Object.entries(search).filter(
      ([, value]) =>
        value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0),
    ),
  )
}
