import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Trash2, Undo2 } from 'lucide-react'
import type { Schemas } from '../../api/client.ts'
import { NotFound } from '../../app/missing.tsx'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Answer } from '../../ui/answer.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { More } from '../../ui/more.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Loading, SkeletonRows } from '../../ui/skeleton.tsx'
import { showToast, useAction } from '../../ui/toast.tsx'
import { useLinkActions } from './actions.ts'
import { BackToLinks } from './back.tsx'
import { deletedQuery, restoreLink } from './queries.ts'
import { nameOf, readable } from './text.ts'

type DeletedLink = Schemas['DeletedLink']

/** Recently deleted links, which can be restored. */
export function DeletedLinksPage() {
  const { t } = useI18n()
  const { workspace } = usePlace()
  const list = useInfiniteQuery(deletedQuery(workspace.id))
  return (
    <Page
      title={t('links.trash.title')}
      description={t('links.trash.text')}
      before={<BackToLinks />}
    >
      <Answer of={list} loading={<SkeletonRows count={3} tall />}>
        {(links) =>
          links.length === 0 ? (
            <Empty icon={<Trash2 size={28} />} title={t('links.trash.none')} />
          ) : (
            <ul className="border-line border-t">
              {links.map((link) => (
                <Row key={link.id} link={link} />
              ))}
            </ul>
          )
        }
      </Answer>
      <More list={list} label={t('tags.more')} />
    </Page>
  )
}

/** The page of a link that doesn't exist: it may have been deleted recently. */
export function MissingLink({ id }: { id: string }) {
  const { t } = useI18n()
  const { workspace } = usePlace()
  const list = useInfiniteQuery(deletedQuery(workspace.id, id))
  const link = list.data?.[0]
  if (list.isPending) return <Loading label={t('common.loading')} />
  if (list.isError)
    return <Problem heading="h1" error={list.error} onRetry={() => void list.refetch()} />
  if (link === undefined) return <NotFound />
  return (
    <Page
      title={t('links.trash.title')}
      description={t('links.trash.text')}
      before={<BackToLinks />}
    >
      <ul className="border-line border-t">
        <Row link={link} />
      </ul>
    </Page>
  )
}

function Row({ link }: { link: DeletedLink }) {
  const { t, format } = useI18n()
  const { may } = usePlace()
  const navigate = useNavigate()
  const { keep, refresh } = useLinkActions()
  const restore = useAction(
    () => restoreLink(link.id),
    async (restored) => {
      keep(restored)
      await navigate({ to: '/links/$id', params: { id: restored.id } })
      await refresh()
      showToast({ title: t('links.restored') })
    },
  )
  return (
    <li className="flex min-h-14 flex-wrap items-center gap-x-4 gap-y-2 border-line border-b py-2">
      <div className="flex min-w-0 flex-1 basis-56 flex-col items-start">
        <bdi dir="ltr" className="max-w-full truncate font-medium">
          {nameOf(link)}
        </bdi>
        <span dir="auto" className="max-w-full truncate text-muted text-sm">
          {link.title ?? readable(link.destination_url)}
        </span>
      </div>
      <span className="text-faint text-sm">
        {t('links.trash.until', { date: format.dateTime(link.restorable_until) })}
      </span>
      {may('links:write') ? (
        <Button
          size="sm"
          icon={<Undo2 />}
          aria-label={t('common.labelled', {
            label: t('links.trash.restore'),
            value: nameOf(link),
          })}
          loading={restore.isPending}
          onClick={() => restore.mutate()}
        >
          {t('links.trash.restore')}
        </Button>
      ) : null}
    </li>
  )
}
