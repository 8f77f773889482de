import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useLocation } from '@tanstack/react-router'
import { Bookmark, ChevronRight, Folder } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { cx } from '../../ui/cx.ts'
import { foldersQuery } from '../groups/queries.ts'
import { hideColumns, useHiddenColumns } from './list/hidden-columns.ts'
import { withoutEmpty } from './list/page-hooks.ts'
import { type LinksSearch, linksSearch } from './search.ts'
import { isSameList, linkViewsQuery, searchOf, shownOf } from './views/queries.ts'

/** The most folders, and the most views, that the sidebar lists. */
const SHOWN = 12
const KEPT = 'slugline.sidebar.places'

/** Saved views and folders below "Links" in the sidebar; nothing if there are none. */
export function SidebarPlaces() {
  const { t, format } = useI18n()
  const { workspace } = usePlace()
  const [open, setOpen] = useState(() => localStorage.getItem(KEPT) !== 'closed')
  const folders = useInfiniteQuery(foldersQuery(workspace.id, ''))
  const { data: views = [] } = useQuery(linkViewsQuery(workspace.id))
  const current = useCurrent()
  const { data: listed = [] } = folders
  if (listed.length === 0 && views.length === 0) return null
  const toggle = () => {
    setOpen(!open)
    localStorage.setItem(KEPT, open ? 'closed' : 'open')
  }
  return (
    <div className="flex flex-col gap-0.5 ps-4 pb-1">
      <button
        type="button"
        aria-expanded={open}
        onClick={toggle}
        className="flex h-7 items-center gap-2 rounded-sm px-2 text-start text-faint text-xs hover:bg-hover hover:text-fg"
      >
        <ChevronRight
          size={12}
          className={cx('shrink-0 transition-transform', open ? 'rotate-90' : 'rtl:-scale-x-100')}
        />
        {t('shell.places')}
      </button>
      {open ? (
        <>
          {views.length === 0 ? null : (
            <ul aria-label={t('links.views')} className="flex flex-col gap-0.5">
              {views.slice(0, SHOWN).map((view) => (
                <li key={view.id}>
                  <PlaceLink
                    search={withoutEmpty(searchOf(view))}
                    isCurrent={current !== undefined && isSameList(view, current)}
                    onClick={() => hideColumns(view.hidden_columns)}
                    icon={<Bookmark size={14} className="shrink-0" />}
                    name={view.name}
                  />
                </li>
              ))}
            </ul>
          )}
          {listed.length === 0 ? null : (
            <ul aria-label={t('folders.title')} className="flex flex-col gap-0.5">
              {listed.slice(0, SHOWN).map((folder) => (
                <li key={folder.id}>
                  <PlaceLink
                    search={{ folder: folder.id }}
                    isCurrent={current?.filter.folder_id === folder.id}
                    icon={<Folder size={14} className="shrink-0" />}
                    name={folder.name}
                    count={format.compact(folder.links)}
                  />
                </li>
              ))}
            </ul>
          )}
          {listed.length > SHOWN ? (
            <Link to="/tags" search={{ tab: 'folders' }} className={ROW}>
              {t('folders.all')}
            </Link>
          ) : null}
        </>
      ) : null}
    </div>
  )
}

const ROW =
  'flex h-7 items-center gap-2 rounded-sm px-2 text-muted text-sm hover:bg-hover hover:text-fg'

/** The list that is open, as the content of a view; undefined: another page is. */
function useCurrent() {
  const search = useLocation({
    select: ({ pathname, search }) => (pathname.endsWith('/links') ? search : undefined),
  })
  const hidden = useHiddenColumns()
  return search === undefined
    ? undefined
    : shownOf(linksSearch(search as Record<string, unknown>), hidden)
}

function PlaceLink({
  search,
  isCurrent,
  onClick,
  icon,
  name,
  count,
}: {
  search: LinksSearch
  isCurrent: boolean
  onClick?: () => void
  icon: ReactNode
  name: string
  count?: string
}) {
  return (
    <Link
      to="/links"
      search={search}
      title={name}
      // With further filters it is current, but no longer the page itself.
      activeOptions={{ exact: true, includeSearch: true }}
      inactiveProps={{ 'aria-current': isCurrent ? 'true' : undefined }}
      onClick={() => onClick?.()}
      className={cx(ROW, isCurrent && 'bg-pressed font-medium text-fg')}
    >
      {icon}
      <bdi className="min-w-0 flex-1 truncate">{name}</bdi>
      {count === undefined ? null : <span className="tabular text-faint text-xs">{count}</span>}
    </Link>
  )
}
