import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link as RouterLink } from '@tanstack/react-router'
import { ChartNoAxesColumn, Pencil, QrCode, Route } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { ApiError } from '../../../api/errors.ts'
import { useShortcuts } from '../../../app/shortcuts.ts'
import { usePlace } from '../../../app/workspace.tsx'
import { useI18n } from '../../../i18n/index.tsx'
import { lazyComponent } from '../../../lib/lazy-component.ts'
import { part } from '../../../lib/part.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { Chip } from '../../../ui/chip.tsx'
import { CopyButton } from '../../../ui/copy.tsx'
import { CardSection, Page } from '../../../ui/page.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { Loading, Skeleton } from '../../../ui/skeleton.tsx'
import { ShareButton } from '../../shares/button.tsx'
import { LINK_RANGES, RANGE_KEYS } from '../../statistics/range.ts'
import { useLinkActions } from '../actions.ts'
import { BackToLinks } from '../back.tsx'
import { MissingLink } from '../deleted.tsx'
import { useFiling } from '../filing.tsx'
import { lastSearch } from '../list/last-search.ts'
import { useDuplicate } from '../list/page-hooks.ts'
import { RowMenu } from '../list/row-menu.tsx'
import { type Link, linkQuery } from '../queries.ts'
import { RuleList } from '../rules/list.tsx'
import { StatusChip } from '../status.tsx'
import { nameOf } from '../text.ts'
import { BlockNotice } from './block.tsx'
import { DeleteClicks } from './delete-clicks.tsx'
import { Facts } from './facts.tsx'
import { LinkHistory } from './history.tsx'
import { Numbers } from './numbers.tsx'
import { LinkSentence } from './sentence.tsx'

const EditPanel = lazyComponent(() => import('../form/panels.tsx'), 'EditPanel')
const ExplainDialog = lazyComponent(() => import('../explain/dialog.tsx'), 'ExplainDialog')
const Overview = lazy(() => part(() => import('../../statistics/overview.tsx')))
const QrDialog = lazyComponent(() => import('../qr/dialog.tsx'), 'QrDialog')

const route = getRouteApi('/shell/links/$id')

/** The page of one link. */
export function LinkPage() {
  const { t } = useI18n()
  const { id } = route.useParams()
  const place = usePlace()
  const { data: link, error, refetch } = useQuery(linkQuery(place.workspace.id, id))
  if (link !== undefined) return <Loaded link={link} />
  if (error instanceof ApiError && error.status === 404) return <MissingLink id={id} />
  return (
    <Page
      title={t('links.link')}
      before={<BackToLinks />}
      heading={<Skeleton className="h-7 w-64" />}
    >
      {error ? (
        <Problem error={error} onRetry={() => refetch()} />
      ) : (
        <div className="flex flex-col gap-6">
          <Loading label={t('common.loading')} />
          <Skeleton className="h-6 w-full max-w-prose" />
          <Skeleton className="h-20 w-full" />
        </div>
      )}
    </Page>
  )
}

function Loaded({ link }: { link: Link }) {
  const { t } = useI18n()
  const { edit, explain, qr } = route.useSearch()
  const navigate = route.useNavigate()
  const place = usePlace()
  const actions = useLinkActions()
  const duplicate = useDuplicate()
  const writable = place.may('links:write')
  const name = nameOf(link)
  const filing = useFiling()
  const [forgetting, setForgetting] = useState(false)
  const show = (change: ReturnType<typeof route.useSearch>) =>
    void navigate({ search: ({ range }) => ({ ...(range && { range }), ...change }) })
  const open = () => show({ edit: true })
  const showQr = () => show({ qr: true })
  const close = () =>
    void navigate({ search: ({ range }) => (range ? { range } : {}), replace: true })
  const setRange = (range: (typeof LINK_RANGES)[number]) => show({ range })
  const remove = async () => {
    if (await actions.remove(link)) await navigate({ to: '/links', search: lastSearch() })
  }
  useShortcuts({
    y: () => void actions.copy(link),
    s: () => void navigate({ to: '/links/$id/statistics', params: { id: link.id } }),
    Escape: () => void navigate({ to: '/links', search: lastSearch() }),
    ...(writable ? { e: open, t: () => filing.tag(link), '#': remove, Delete: remove } : {}),
    ...Object.fromEntries(
      LINK_RANGES.map((range) => [RANGE_KEYS[range], () => setRange(range)] as const).filter(
        // Which edits the link.
        ([key]) => key !== RANGE_KEYS.yesterday,
      ),
    ),
  })
  return (
    <Page
      title={name}
      before={<BackToLinks />}
      heading={
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <bdi dir="ltr">{name}</bdi>
          <CopyButton text={link.short_url} label={t('links.copyAddress')} size="md" />
          <StatusChip status={link.status} />
          {link.archived ? <Chip>{t('links.field.archived')}</Chip> : null}
        </span>
      }
      description={link.title === null ? null : <span dir="auto">{link.title}</span>}
      actions={
        <>
          <RouterLink
            to="/links/$id/statistics"
            params={{ id: link.id }}
            className={buttonClass('secondary')}
          >
            <ChartNoAxesColumn />
            {t('shell.statistics')}
          </RouterLink>
          <ShareButton fresh={{ subject: { link_id: link.id }, name: link.title ?? name }} />
          {writable ? (
            <Button icon={<Pencil />} onClick={open}>
              {t('links.edit')}
            </Button>
          ) : null}
          <RowMenu
            link={link}
            actions={{
              ...actions,
              showQr,
              edit: open,
              move: filing.move,
              tag: filing.tag,
              remove,
              duplicate,
            }}
            writable={writable}
            onDeleteClicks={() => setForgetting(true)}
          />
        </>
      }
    >
      <div className="flex flex-col gap-8">
        <div className="flex flex-col items-start gap-3">
          <LinkSentence link={link} />
          <div className="flex flex-wrap gap-2">
            <Button size="sm" icon={<QrCode />} onClick={showQr}>
              {t('links.qr.title')}
            </Button>
            <Button size="sm" icon={<Route />} onClick={() => show({ explain: true })}>
              {t('links.explain.open')}
            </Button>
          </div>
        </div>
        <RuleList link={link} />
        <BlockNotice link={link} writable={writable} />
        <Numbers link={link} />
        <Suspense fallback={<Skeleton className="h-70 w-full" />}>
          <Overview linkId={link.id} onRange={setRange} />
        </Suspense>
        <CardSection title={t('links.facts')}>
          <Facts link={link} />
        </CardSection>
        <LinkHistory link={link} writable={writable} />
      </div>
      {forgetting ? <DeleteClicks link={link} onClose={() => setForgetting(false)} /> : null}
      {filing.dialogs}
      <Suspense>
        {explain ? <ExplainDialog link={link} onClose={close} /> : null}
        {qr ? <QrDialog link={link} onClose={close} /> : null}
        {edit && writable ? <EditPanel key={link.id} link={link} onClose={close} /> : null}
      </Suspense>
    </Page>
  )
}
