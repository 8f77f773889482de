import { Autocomplete } from '@base-ui/react/autocomplete'
import { Dialog } from '@base-ui/react/dialog'
import { useQuery } from '@tanstack/react-query'
import { useLocation, useNavigate, useParams } from '@tanstack/react-router'
import {
  Bookmark,
  BookmarkPlus,
  BookOpen,
  FileUp,
  Keyboard,
  KeyRound,
  Link2,
  LogOut,
  type LucideIcon,
  Plus,
  Presentation,
  QrCode,
  Route,
  Search,
  Trash2,
  UserPlus,
  UserRound,
} from 'lucide-react'
import { useState } from 'react'
import { currentId } from '../features/links/list/row-keys.ts'
import { linksQuery } from '../features/links/queries.ts'
import { linksSearch } from '../features/links/search.ts'
import { nameOf } from '../features/links/text.ts'
import { linkViewsQuery, savedFiltersQuery } from '../features/links/views/queries.ts'
import { useShowView } from '../features/links/views/use-views.ts'
import { searchOfReport } from '../features/statistics/saved.ts'
import { useI18n } from '../i18n/index.tsx'
import { useDebounced } from '../lib/use-debounced.ts'
import { cx } from '../ui/cx.ts'
import { ITEM } from '../ui/popup.ts'
import { destinationsOf } from './navigation.tsx'
import { defined } from './search-params.ts'
import { useSignOut } from './sign-out.ts'
import { usePlace } from './workspace.tsx'
import { Monogram, useOpenWorkspace } from './workspace-switch.tsx'

const PAUSE_MS = 120
/** The most links and views shown. */
const SHOWN = 6

interface Command {
  id: string
  label: string
  /** A second text: a destination, or another name. */
  hint?: string
  Icon?: LucideIcon
  run: () => void
}

interface Group {
  label: string
  items: Command[]
}

/** Everything by name: links, pages, actions, workspaces. */
export function Palette({ onClose, ...opens }: Opens & { onClose: () => void }) {
  const { t } = useI18n()
  const [text, setText] = useState('')
  const { groups, isPending } = useGroups(text, opens)
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop data-veil className="fixed inset-0 z-40 bg-veil" />
        <Dialog.Popup
          aria-label={t('shell.palette')}
          className="fixed inset-x-4 top-[max(1rem,10dvh)] z-40 mx-auto flex max-h-[min(32rem,80dvh)] max-w-xl flex-col rounded-md bg-raised shadow-float outline-none"
        >
          <Autocomplete.Root
            open
            inline
            items={groups}
            // The groups are filtered already: links are found by the server.
            filter={null}
            value={text}
            onValueChange={setText}
            itemToStringValue={() => text}
            autoHighlight="always"
            keepHighlight
          >
            <div className="flex items-center gap-2.5 border-line border-b px-4">
              <Search size={16} className="shrink-0 text-faint" />
              <Autocomplete.Input
                aria-label={t('shell.palette')}
                placeholder={t('shell.palette.hint')}
                className="h-12 min-w-0 flex-1 bg-transparent text-base outline-none placeholder:text-faint"
              />
            </div>
            <Autocomplete.Empty>
              <p className="px-4 py-6 text-muted">
                {t(isPending ? 'common.loading' : 'common.nothingFound')}
              </p>
            </Autocomplete.Empty>
            <Autocomplete.List className="min-h-0 overflow-y-auto overscroll-contain p-1.5 empty:p-0">
              {(group: Group) => (
                <Autocomplete.Group key={group.label} items={group.items} className="not-last:mb-2">
                  <Autocomplete.GroupLabel className="px-2 py-1 font-medium text-faint text-xs">
                    {group.label}
                  </Autocomplete.GroupLabel>
                  <Autocomplete.Collection>
                    {(item: Command) => (
                      <Autocomplete.Item
                        key={item.id}
                        value={item}
                        onClick={() => {
                          onClose()
                          item.run()
                        }}
                        className={cx(ITEM, 'gap-2.5')}
                      >
                        {item.Icon ? (
                          <item.Icon size={16} className="shrink-0 text-muted" />
                        ) : (
                          <Monogram name={item.label} />
                        )}
                        <bdi className="truncate">{item.label}</bdi>
                        {item.hint ? (
                          <bdi className="min-w-0 flex-1 truncate text-faint text-sm">
                            {item.hint}
                          </bdi>
                        ) : null}
                      </Autocomplete.Item>
                    )}
                  </Autocomplete.Collection>
                </Autocomplete.Group>
              )}
            </Autocomplete.List>
          </Autocomplete.Root>
          <Dialog.Close className="sr-only">{t('common.close')}</Dialog.Close>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** What the palette can open besides links and pages. */
interface Opens {
  onCreate: () => void
  onShortcuts: () => void
  onNewWorkspace: () => void
}

/** The groups that match the text; `isPending`: links are still being looked for. */
function useGroups(text: string, opens: Opens): { groups: Group[]; isPending: boolean } {
  const { t } = useI18n()
  const place = usePlace()
  const openWorkspace = useOpenWorkspace()
  const { links, isPending } = useFoundLinks(text)
  const views = useViewCommands()
  const saved = useFilterCommands()
  const pages = usePages()
  const actions = useActions(opens)
  // Accents don't matter.
  const { contains } = Autocomplete.useFilter()
  const fits = ({ label, hint = '' }: Command) => contains(`${label} ${hint}`, text.trim())
  const others = place.workspaces
    .filter(({ id }) => id !== place.workspace.id)
    .map(
      ({ id, name }): Command => ({
        id,
        label: name,
        run: () => openWorkspace(id),
      }),
    )
  const groups = [
    { label: t('shell.links'), items: links },
    { label: t('links.views'), items: views.filter(fits).slice(0, SHOWN) },
    { label: t('statistics.saved'), items: saved.filter(fits).slice(0, SHOWN) },
    { label: t('shell.palette.actions'), items: actions.filter(fits) },
    { label: t('shell.palette.pages'), items: pages.filter(fits) },
    { label: t('shell.workspaces'), items: others.filter(fits) },
  ].filter(({ items }) => items.length > 0)
  return { groups, isPending }
}

/** The pages of the sidebar, and those behind them. */
function usePages(): Command[] {
  const { t } = useI18n()
  const place = usePlace()
  const navigate = useNavigate()
  return [
    ...destinationsOf(place),
    ...(place.may('links:write')
      ? [{ to: '/import', label: 'imports.title', Icon: FileUp } as const]
      : []),
    { to: '/links/deleted', label: 'links.trash.title', Icon: Trash2 } as const,
    { to: '/statistics/shared', label: 'shares.title', Icon: Presentation } as const,
  ].map(({ to, label, Icon }) => ({
    id: to,
    label: t(label),
    Icon,
    run: () => void navigate({ to }),
  }))
}

function useActions({ onCreate, onShortcuts, onNewWorkspace }: Opens): Command[] {
  const { t } = useI18n()
  const place = usePlace()
  const navigate = useNavigate()
  const signOut = useSignOut()
  // The link of the current page, or of the row that had the focus before the palette.
  const [row] = useState(currentId)
  const { id = row } = useParams({ strict: false })
  const onList = useLocation({ select: ({ pathname }) => pathname.endsWith('/links') })
  const explain = (of: string) =>
    void navigate({ to: '/links/$id', params: { id: of }, search: { explain: true } })
  const showQr = (of: string) =>
    onList
      ? void navigate({ to: '/links', search: (before) => ({ ...linksSearch(before), qr: of }) })
      : void navigate({ to: '/links/$id', params: { id: of }, search: { qr: true } })
  const account = () => void navigate({ to: '/account' })
  const bookmarklet = () => void navigate({ to: '/account', hash: 'bookmarklet' })
  const docs = () => void window.open('/docs', '_blank', 'noreferrer')
  const all: (Command | false)[] = [
    place.may('links:write') && {
      id: 'create',
      label: t('shortcuts.create'),
      Icon: Plus,
      run: onCreate,
    },
    id !== undefined && {
      id: 'qr',
      label: t('links.qr.title'),
      Icon: QrCode,
      run: () => showQr(id),
    },
    id !== undefined && {
      id: 'explain',
      label: t('links.explain.open'),
      Icon: Route,
      run: () => explain(id),
    },
    place.may('keys:write') && {
      id: 'key',
      label: t('keys.create.title'),
      Icon: KeyRound,
      run: () => void navigate({ to: '/keys', search: { create: true } }),
    },
    place.may('members:manage') && {
      id: 'invite',
      label: t('members.invite.title'),
      Icon: UserPlus,
      run: () => void navigate({ to: '/members', search: { create: true } }),
    },
    { id: 'account', label: t('shell.account'), Icon: UserRound, run: account },
    {
      id: 'bookmarklet',
      label: t('settings.bookmarklet'),
      hint: t('settings.bookmarklet.copy'),
      Icon: BookmarkPlus,
      run: bookmarklet,
    },
    place.user.may_create_workspaces && {
      id: 'workspace',
      label: t('shell.newWorkspace'),
      Icon: Plus,
      run: onNewWorkspace,
    },
    { id: 'keys', label: t('shell.shortcuts'), Icon: Keyboard, run: onShortcuts },
    { id: 'docs', label: t('shell.docs'), Icon: BookOpen, run: docs },
    { id: 'out', label: t('shell.signOut'), Icon: LogOut, run: signOut },
  ]
  return all.filter((one) => one !== false)
}

/** The saved views of the list. */
function useViewCommands(): Command[] {
  const { workspace } = usePlace()
  const show = useShowView()
  const { data = [] } = useQuery(linkViewsQuery(workspace.id))
  return data.map((view) => ({
    id: view.id,
    label: view.name,
    Icon: Bookmark,
    run: () => show(view),
  }))
}

/** The saved filters of the statistics, which keep their own period. */
function useFilterCommands(): Command[] {
  const { workspace } = usePlace()
  const navigate = useNavigate()
  const { data = [] } = useQuery(savedFiltersQuery(workspace.id))
  return data.map((view) => ({
    id: view.id,
    label: view.name,
    Icon: Bookmark,
    run: () => void navigate({ to: '/statistics', search: defined(searchOfReport(view)) }),
  }))
}

/** Links found by the list's search; the newest ones without a text. */
function useFoundLinks(text: string): { links: Command[]; isPending: boolean } {
  const { workspace } = usePlace()
  const navigate = useNavigate()
  const asked = text.trim()
  const q = useDebounced(asked, PAUSE_MS)
  const found = useQuery(linksQuery(workspace.id, q === '' ? {} : { q }))
  // Until the response arrives nothing is shown, so that Enter can't open something else by
  // mistake.
  const isCurrent = q === asked && !found.isPending && !found.isPlaceholderData
  const links = isCurrent ? (found.data?.data ?? []) : []
  const commands = links.slice(0, SHOWN).map((link) => ({
    id: link.id,
    label: nameOf(link),
    hint: link.title ?? link.destination_url,
    Icon: Link2,
    run: () => void navigate({ to: '/links/$id', params: { id: link.id } }),
  }))
  return { links: commands, isPending: !isCurrent }
}
