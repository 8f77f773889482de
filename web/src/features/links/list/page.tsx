import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link as RouterLink } from '@tanstack/react-router'
import { FileUp, Plus } from 'lucide-react'
import { Suspense, useEffect, useEffectEvent, useState } from 'react'
import { workspaceKey } from '../../../api/workspace-key.ts'
import { usePlace } from '../../../app/workspace.tsx'
import { useI18n } from '../../../i18n/index.tsx'
import { lazyComponent } from '../../../lib/lazy-component.ts'
import { BRIEF, BRIEF_LABEL, Button, buttonClass } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Page } from '../../../ui/page.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { useShowError } from '../../../ui/toast.tsx'
import { useTagColors } from '../../groups/use-tags.ts'
import { useLinkActions } from '../actions.ts'
import { useFiling } from '../filing.tsx'
import { type Link, linkQuery, linksQuery } from '../queries.ts'
import { NoLinks, NothingFound, useHasArchived } from './empty-state.tsx'
import { FilterChips } from './filter-chips.tsx'
import { FirstSteps } from './first-steps.tsx'
import { FoundLinks } from './found-links.tsx'
import { keepSearch } from './last-search.ts'
import {
  useCreatedFocus,
  useDuplicate,
  useNextPage,
  usePageKeys,
  useSearchChanges,
  useShownQuery,
  useSparklines,
} from './page-hooks.ts'
import { focusRow } from './row-keys.ts'
import { Toolbar } from './toolbar.tsx'
import { useSelection } from './use-selection.ts'

const CreatePanel = lazyComponent(() => import('../form/panels.tsx'), 'CreatePanel')
const BulkBar = lazyComponent(() => import('../bulk/bar.tsx'), 'BulkBar')
const EditPanel = lazyComponent(() => import('../form/panels.tsx'), 'EditPanel')
const QrDialog = lazyComponent(() => import('../qr/dialog.tsx'), 'QrDialog')

const route = getRouteApi('/shell/links')

/** The search parameters besides the page. */
const FILTERS = [
  'q',
  'tag',
  'any',
  'untagged',
  'rules',
  'password',
  'unclicked',
  'folder',
  'archived',
  'domain',
  'status',
  'creator',
  'after',
  'before',
] as const

/** The links of the workspace. */
export function LinksPage() {
  const { t } = useI18n()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const client = useQueryClient()
  const { workspace, may } = usePlace()
  const writable = may('links:write')
  const actions = useLinkActions()
  const selection = useSelection(JSON.stringify(FILTERS.map((name) => search[name])))
  const [fresh, setFresh] = useState<string | null>(null)
  const filing = useFiling()

  const { create: _, edit: __, qr: ___, ...listSearch } = search
  const filtered = FILTERS.some((name) => search[name] !== undefined)
  const { ask, open, close } = useSearchChanges()
  const list = useQuery(linksQuery(workspace.id, listSearch))
  const { data, isPlaceholderData, error } = list
  const links = data?.data ?? []

  useEffect(() => keepSearch(search), [search])
  useCreatedFocus(fresh, links)
  useNextPage(data?.pagination.next_cursor, listSearch)

  usePageKeys({ links, selection, actions, writable, open, filing, remove: removeAndMove })

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
    client.removeQueries({ queryKey: workspaceKey(workspace.id, 'link-check') })
    // If filters or another page would hide it, its own page is opened.
    if (filtered || search.cursor || search.sort)
      void navigate({ to: '/links/$id', params: { id: link.id } })
    else close(undefined)
  }

  const rows = {
    links,
    sparklines: useSparklines(links),
    colors: useTagColors(links),
    selection,
    writable,
    fresh,
    actions,
    onQr: (link: Link) => void open({ qr: link.id }),
    onEdit: (link: Link) => void open({ edit: link.id }),
    onRemove: (link: Link) => void removeAndMove(link),
    filing,
    onDuplicate: useDuplicate(),
    query: useShownQuery(search.q, isPlaceholderData),
    onTag: (tag: string) => void ask({ tag: [...new Set([...(search.tag ?? []), tag])] }),
  }
  const toolbar = <Toolbar search={search} ask={ask} list={data} />
  const none = data !== undefined && links.length === 0 && !isPlaceholderData
  const isEmpty = none && !filtered && search.cursor === undefined
  const hasArchived = useHasArchived(isEmpty)

  return (
    <Page
      title={t('shell.links')}
      actions={
        writable ? (
          <>
            <ImportLink />
            <CreateButton onClick={() => open({ create: true })} />
          </>
        ) : null
      }
    >
      {filtered || hasArchived !== false ? null : <FirstSteps list={data} rows={rows} />}
      {isEmpty ? (
        <NoLinks hasArchived={hasArchived} onArchived={() => void ask({ archived: 'true' })} />
      ) : (
        <>
          {selection.count > 0 && writable ? (
            <Suspense fallback={toolbar}>
              <BulkBar selection={selection} search={listSearch} list={data} />
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
            <FoundLinks list={data} isBefore={isPlaceholderData} rows={rows} ask={ask} />
          )}
        </>
      )}
      {filing.dialogs}
      <Panels links={links} writable={writable} onClose={close} onCreated={onCreated} />
    </Page>
  )
}

function ImportLink() {
  const { t } = useI18n()
  return (
    <RouterLink to="/import" className={buttonClass('secondary', 'md', BRIEF)}>
      <FileUp size={16} />
      <span className={BRIEF_LABEL}>{t('imports.link')}</span>
    </RouterLink>
  )
}

function CreateButton({ onClick }: { onClick: () => void }) {
  const { t } = useI18n()
  return (
    <Button variant="primary" icon={<Plus size={16} />} onClick={onClick}>
      {t('links.create')}
    </Button>
  )
}

/** To a viewer, instead of a form that a bookmarklet, a shared page or a colleague's URL opens. */
function MayNot({ title, text, onClose }: { title: string; text: string; onClose: () => void }) {
  const { t } = useI18n()
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={<Button onClick={onClose}>{t('common.close')}</Button>}
    >
      <p>{text}</p>
    </Dialog>
  )
}

/** The open panel: of a new link, of an edited one, or the QR code of one. */
function Panels({
  links,
  writable,
  onClose,
  onCreated,
}: {
  links: readonly Link[]
  writable: boolean
  onClose: (focus: string | undefined) => void
  onCreated: (link: Link) => void
}) {
  const { t } = useI18n()
  const { create, edit, qr } = route.useSearch()
  const { workspace } = usePlace()
  const shown = (writable ? edit : undefined) ?? qr
  const read = useQuery({
    ...linkQuery(workspace.id, shown ?? ''),
    enabled: shown !== undefined,
    initialData: () => links.find(({ id }) => id === shown),
  })
  const showError = useShowError()
  const failure = read.error
  const failed = useEffectEvent((error: unknown) => {
    showError(error)
    onClose(undefined)
  })
  useEffect(() => {
    if (failure !== null && shown !== undefined) failed(failure)
  }, [failure, shown])
  const link = shown === undefined ? undefined : read.data
  return (
    <Suspense>
      {create && writable ? (
        <CreatePanel onClose={() => onClose(undefined)} onCreated={onCreated} />
      ) : create ? (
        <MayNot
          title={t('links.create')}
          text={t('links.viewerCreates')}
          onClose={() => onClose(undefined)}
        />
      ) : null}
      {edit !== undefined && !writable ? (
        <MayNot
          title={t('common.refused')}
          text={t('common.refusedHint')}
          onClose={() => onClose(undefined)}
        />
      ) : null}
      {link && writable && shown === edit ? (
        <EditPanel key={link.id} link={link} onClose={() => onClose(link.id)} />
      ) : link ? (
        <QrDialog key={link.id} link={link} onClose={() => onClose(link.id)} />
      ) : null}
    </Suspense>
  )
}
