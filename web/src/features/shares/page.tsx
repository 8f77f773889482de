import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link as RouterLink } from '@tanstack/react-router'
import { ArrowLeft, Code, ExternalLink, Pencil, Share2, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Answer } from '../../ui/answer.tsx'
import { Chip } from '../../ui/chip.tsx'
import { CopyButton, useCopyText } from '../../ui/copy.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { Empty } from '../../ui/empty.tsx'
import { MenuItem, MenuSeparator, MoreMenu } from '../../ui/menu.tsx'
import { More } from '../../ui/more.tsx'
import { Page } from '../../ui/page.tsx'
import { showToast } from '../../ui/toast.tsx'
import { ROW } from '../groups/group-list.tsx'
import { folderQuery } from '../groups/queries.ts'
import { linkHeadQuery } from '../statistics/queries.ts'
import { shortName } from '../statistics/words.ts'
import ShareDialog from './dialog.tsx'
import { deleteShare, type Share, sharesKey, sharesQuery } from './queries.ts'
import { embedCode, shareName, subjectName } from './words.ts'

/** The open dialog. */
type Open = { kind: 'edit' | 'stop'; share: Share }

/** The shares of the workspace. */
export function SharesPage() {
  const { t } = useI18n()
  const { workspace, may } = usePlace()
  const list = useInfiniteQuery(sharesQuery(workspace.id))
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  return (
    <Page
      title={t('shares.title')}
      before={
        <RouterLink
          to="/statistics"
          className="inline-flex min-h-6 items-center gap-1 text-muted pointer-coarse:min-h-10 text-sm hover:text-fg"
        >
          <ArrowLeft className="rtl:-scale-x-100" />
          {t('shell.statistics')}
        </RouterLink>
      }
    >
      <Answer of={list}>
        {(shares) =>
          shares.length === 0 ? (
            <Empty icon={<Share2 size={28} />} title={t('shares.empty.title')}>
              <p>{t('shares.empty.text')}</p>
            </Empty>
          ) : (
            <ul className="border-line border-t">
              {shares.map((share) => (
                <ShareRow
                  key={share.id}
                  share={share}
                  onOpen={may('links:write') ? setOpen : undefined}
                />
              ))}
            </ul>
          )
        }
      </Answer>
      <More list={list} label={t('tags.more')} />
      {open?.kind === 'edit' ? <ShareDialog share={open.share} onClose={close} /> : null}
      {open?.kind === 'stop' ? <StopDialog share={open.share} onClose={close} /> : null}
    </Page>
  )
}

function ShareRow({
  share,
  onOpen,
}: {
  share: Share
  /** Absent: not permitted. */
  onOpen: ((open: Open) => void) | undefined
}) {
  const i18n = useI18n()
  const { t, format } = i18n
  const { url, expires_at, has_password, views } = share
  const isEnded = expires_at !== null && Date.parse(expires_at) <= Date.now()
  return (
    <li className={ROW}>
      <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1 py-2">
        <a
          href={url}
          target="_blank"
          rel="noreferrer"
          dir="auto"
          className="min-w-0 truncate rounded-xs font-medium hover:underline"
        >
          {shareName(share, i18n)}
        </a>
        <Subject share={share} />
        {has_password ? <Chip>{t('shared.password.label')}</Chip> : null}
        {expires_at === null ? null : (
          <span className="text-faint text-sm">
            {isEnded ? t('shares.ended') : t('shares.ends', { date: format.dateTime(expires_at) })}
          </span>
        )}
      </div>
      <span className="tabular text-muted text-sm">{t('shares.views', { count: views })}</span>
      <CopyButton text={url} label={t('shares.copyLink')} />
      <ShareMenu share={share} onOpen={onOpen} />
    </li>
  )
}

/** What is shared, where the name doesn't say it: the link's address, the folder's name. */
function Subject({ share: { name, subject } }: { share: Share }) {
  const i18n = useI18n()
  const { workspace } = usePlace()
  const { link_id = '', folder_id = '' } = subject
  const link = useQuery({ ...linkHeadQuery(workspace.id, link_id), enabled: link_id !== '' })
  const folder = useQuery(folderQuery(workspace.id, folder_id))
  const known = link.data ? shortName(link.data.short_url) : folder.data?.name
  if (name === null && known === undefined) return null
  return (
    <bdi className="min-w-0 truncate text-muted text-sm">{known ?? subjectName(subject, i18n)}</bdi>
  )
}

function ShareMenu({ share, onOpen }: Parameters<typeof ShareRow>[0]) {
  const i18n = useI18n()
  const { t } = i18n
  const copy = useCopyText()
  const copyEmbed = async () => {
    if (await copy(embedCode(share.url))) showToast({ title: t('common.copied') })
  }
  return (
    <MoreMenu label={t('tags.actions', { name: shareName(share, i18n) })}>
      <MenuItem
        icon={<ExternalLink />}
        render={<a href={share.url} target="_blank" rel="noreferrer" />}
      >
        {t('shares.open')}
      </MenuItem>
      <MenuItem icon={<Code />} onClick={() => void copyEmbed()}>
        {t('shares.copyEmbed')}
      </MenuItem>
      {onOpen === undefined ? null : (
        <>
          <MenuSeparator />
          <MenuItem icon={<Pencil />} onClick={() => onOpen({ kind: 'edit', share })}>
            {t('shares.edit')}
          </MenuItem>
          <MenuItem danger icon={<Trash2 />} onClick={() => onOpen({ kind: 'stop', share })}>
            {t('shares.stop')}
          </MenuItem>
        </>
      )}
    </MoreMenu>
  )
}

function StopDialog({ share, onClose }: { share: Share; onClose: () => void }) {
  const i18n = useI18n()
  const { t } = i18n
  const { workspace } = usePlace()
  const client = useQueryClient()
  const name = shareName(share, i18n)
  const stop = async () => {
    await deleteShare(share.id)
    await client.invalidateQueries({ queryKey: sharesKey(workspace.id) })
    showToast({ title: t('shares.stopped', { name }) })
  }
  return (
    <ConfirmDialog
      onClose={onClose}
      title={t('shares.stop.title', { name })}
      description={t('shares.stop.text')}
      action={t('shares.stop')}
      onConfirm={stop}
    />
  )
}
