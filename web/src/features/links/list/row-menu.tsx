import { Link as RouterLink } from '@tanstack/react-router'
import {
  Archive,
  ArchiveRestore,
  ChartNoAxesColumn,
  CirclePause,
  CirclePlay,
  Copy,
  CopyPlus,
  Eraser,
  ExternalLink,
  FolderInput,
  Pencil,
  QrCode,
  Route,
  Tags,
  Trash2,
} from 'lucide-react'
import { useI18n } from '../../../i18n/index.tsx'
import { MenuItem, MenuSeparator, MoreMenu } from '../../../ui/menu.tsx'
import type { LinkActions } from '../actions.ts'
import type { Filing } from '../filing.tsx'
import type { Link } from '../queries.ts'
import { nameOf } from '../text.ts'

const icon = (Icon: typeof Copy) => <Icon size={16} />

/** What the menu does with a link. */
export interface MenuActions
  extends Pick<LinkActions, 'copy' | 'toggle' | 'archive'>,
    Pick<Filing, 'move' | 'tag'> {
  showQr(link: Link): void
  edit(link: Link): void
  duplicate(link: Link): void
  remove(link: Link): void
}

interface RowMenuProps {
  link: Link
  actions: MenuActions
  writable: boolean
  /** Only on the link's page. */
  onDeleteClicks?: () => void
}

/** The actions on a link. */
export function RowMenu(props: RowMenuProps) {
  const { t } = useI18n()
  return (
    <MoreMenu label={t('links.actionsFor', { name: nameOf(props.link) })}>
      <Items {...props} />
    </MoreMenu>
  )
}

function Items({ link, actions, writable, onDeleteClicks }: RowMenuProps) {
  const { t } = useI18n()
  return (
    <>
      <MenuItem icon={icon(Copy)} shortcut="y" onClick={() => void actions.copy(link)}>
        {t('links.copyAddress')}
      </MenuItem>
      <MenuItem
        icon={icon(ExternalLink)}
        // The preview instead of the redirect.
        render={<a href={`${link.short_url}+`} target="_blank" rel="noreferrer" />}
      >
        {t('links.preview.open')}
      </MenuItem>
      <MenuItem
        icon={icon(ChartNoAxesColumn)}
        shortcut="s"
        render={<RouterLink to="/links/$id/statistics" params={{ id: link.id }} />}
      >
        {t('shell.statistics')}
      </MenuItem>
      <MenuItem icon={icon(QrCode)} onClick={() => actions.showQr(link)}>
        {t('links.qr.title')}
      </MenuItem>
      <MenuItem
        icon={icon(Route)}
        render={<RouterLink to="/links/$id" params={{ id: link.id }} search={{ explain: true }} />}
      >
        {t('links.explain.open')}
      </MenuItem>
      {writable ? (
        <>
          <MenuSeparator />
          <MenuItem icon={icon(Pencil)} shortcut="e" onClick={() => actions.edit(link)}>
            {t('links.edit')}
          </MenuItem>
          <MenuItem icon={icon(CopyPlus)} onClick={() => actions.duplicate(link)}>
            {t('links.duplicate')}
          </MenuItem>
          <MenuItem
            icon={icon(link.enabled ? CirclePause : CirclePlay)}
            onClick={() => void actions.toggle(link)}
          >
            {link.enabled ? t('links.disable') : t('links.enable')}
          </MenuItem>
          <MenuItem icon={icon(Tags)} shortcut="t" onClick={() => actions.tag(link)}>
            {t('links.bulk.tags')}
          </MenuItem>
          <MenuItem
            icon={icon(FolderInput)}
            // On the link's page, m is a period.
            {...(onDeleteClicks === undefined && { shortcut: 'm' })}
            onClick={() => actions.move(link)}
          >
            {t('folders.move')}
          </MenuItem>
          <MenuItem
            icon={icon(link.archived ? ArchiveRestore : Archive)}
            onClick={() => void actions.archive(link)}
          >
            {link.archived ? t('links.unarchive') : t('links.archive')}
          </MenuItem>
          {onDeleteClicks === undefined ? null : (
            <MenuItem icon={icon(Eraser)} danger onClick={onDeleteClicks}>
              {t('links.clicks.delete.open')}
            </MenuItem>
          )}
          <MenuItem icon={icon(Trash2)} shortcut="#" danger onClick={() => actions.remove(link)}>
            {t('links.delete')}
          </MenuItem>
        </>
      ) : null}
    </>
  )
}
