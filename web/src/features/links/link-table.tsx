import { Link as RouterLink, useNavigate } from '@tanstack/react-router'
import type { MouseEvent } from 'react'
import { useI18n } from '../../i18n/index.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Chip } from '../../ui/chip.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { cx } from '../../ui/cx.ts'
import { Loading, Skeleton } from '../../ui/skeleton.tsx'
import { Table, Td, Th } from '../../ui/table.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { Tooltip } from '../../ui/tooltip.tsx'
import type { LinkActions } from './actions.ts'
import { Address } from './address.tsx'
import type { Link } from './calls.ts'
import { Middle } from './middle.tsx'
import { RowMenu } from './row-menu.tsx'
import type { LinksSearch, Sort } from './search.ts'
import { Sparkline } from './sparkline.tsx'
import { StatusDot } from './status.tsx'
import { nameOf, readable, tagsThatFit } from './text.ts'
import type { Ask } from './toolbar.tsx'
import type { Selection } from './use-selection.ts'

/** What table and cards show. */
export interface Rows {
  links: readonly Link[]
  sparklines: Readonly<Record<string, readonly number[]>> | undefined
  selection: Selection
  writable: boolean
  /** The link that was just made. */
  fresh: string | null
  actions: LinkActions
  onEdit: (link: Link) => void
  onRemove: (link: Link) => void
  onTag: (tag: string) => void
}

const COLUMNS = {
  select: 'w-9 pe-0!',
  address: 'w-[26%]',
  destination: '',
  tags: 'w-36 xl:w-40',
  days: 'w-28 px-2!',
  clicks: 'w-20',
  created: 'w-28',
  menu: 'w-12 ps-0!',
} as const

/** The links, one a row. */
export function LinkTable({ search, ask, ...rows }: Rows & { search: LinksSearch; ask: Ask }) {
  const { t } = useI18n()
  const { links, selection, writable } = rows
  const chosen = links.filter((link) => selection.has(link)).length
  const sort = search.sort ?? 'created_at'
  const order: 'asc' | 'desc' = search.order ?? 'desc'
  const sorting = (column: Sort) => ({
    sorted: sort === column ? order : undefined,
    onSort: () =>
      ask({
        sort: column === 'created_at' ? undefined : column,
        order: sort === column && order === 'desc' ? 'asc' : undefined,
      }),
  })
  return (
    <Table className="table-fixed">
      <thead>
        <tr>
          {writable ? (
            <Th className={COLUMNS.select}>
              <Checkbox
                name={t('links.selectAll')}
                checked={chosen > 0 && chosen === links.length}
                indeterminate={chosen > 0 && chosen < links.length}
                onChange={(on) => selection.set(links, on)}
              />
            </Th>
          ) : null}
          <Th className={COLUMNS.address} {...sorting('slug')}>
            {t('links.shortAddress')}
          </Th>
          <Th className={COLUMNS.destination}>{t('links.field.destination')}</Th>
          <Th className={COLUMNS.tags}>{t('links.field.tags')}</Th>
          <Th className={COLUMNS.days}>{t('links.last30Days')}</Th>
          <Th className={COLUMNS.clicks} end {...sorting('clicks')}>
            {t('links.clicks')}
          </Th>
          <Th className={COLUMNS.created} end {...sorting('created_at')}>
            {t('links.createdAt')}
          </Th>
          <Th className={COLUMNS.menu}>
            <span className="sr-only">{t('links.actions')}</span>
          </Th>
        </tr>
      </thead>
      <tbody>
        {links.map((link) => (
          <Row key={link.id} link={link} {...rows} />
        ))}
      </tbody>
    </Table>
  )
}

function Row({
  link,
  sparklines,
  selection,
  writable,
  fresh,
  actions,
  ...on
}: Rows & { link: Link }) {
  const { t, format } = useI18n()
  const navigate = useNavigate()
  const selected = selection.has(link)
  const name = nameOf(link)
  /** The whole row opens the link; what can be pressed in it does its own. */
  const openUnlessPressed = (event: MouseEvent) => {
    const target = event.target as Element
    if (target.closest('a,button,[role=checkbox],input') || getSelection()?.toString()) return
    if (!event.currentTarget.contains(target)) return
    void navigate({ to: '/links/$id', params: { id: link.id } })
  }
  return (
    // By keyboard the link in the row does the same.
    <tr
      data-row={link.id}
      onClick={openUnlessPressed}
      className={cx(
        'group/row cursor-pointer transition-colors focus-within:bg-hover hover:bg-hover',
        selected && 'bg-accent-soft!',
        fresh === link.id && 'animate-fade-in bg-accent-soft',
      )}
    >
      {writable ? (
        <Td className={COLUMNS.select}>
          <Checkbox
            name={t('links.selectName', { name })}
            checked={selected}
            onChange={() => selection.toggle(link)}
          />
        </Td>
      ) : null}
      <Td>
        <div className="flex min-w-0 items-center gap-2">
          <StatusDot status={link.status} />
          <RouterLink
            data-row-link
            to="/links/$id"
            params={{ id: link.id }}
            className="flex min-w-0 scroll-mt-16 rounded-xs font-medium"
            title={name}
          >
            <Address link={link} />
          </RouterLink>
          <CopyButton
            text={link.short_url}
            label={t('links.copyAddress')}
            className="opacity-0 focus-visible:opacity-100 group-focus-within/row:opacity-100 group-hover/row:opacity-100"
          />
        </div>
      </Td>
      <Td>
        {link.title ? (
          <span className="block truncate" title={link.title}>
            <bdi>{link.title}</bdi>
          </span>
        ) : null}
        <Middle
          text={readable(link.destination_url)}
          className={link.title ? 'text-faint text-xs' : 'text-muted'}
        />
      </Td>
      <Td className={COLUMNS.tags}>
        <Tags tags={link.tags} onTag={on.onTag} />
      </Td>
      <Td className={COLUMNS.days}>
        <Sparkline days={sparklines?.[link.id]} />
      </Td>
      <Td end>{format.number(link.clicks.human)}</Td>
      <Td end className="truncate text-muted text-sm">
        <RelativeTime time={link.created_at} short />
      </Td>
      <Td className={COLUMNS.menu}>
        <RowMenu
          link={link}
          actions={actions}
          writable={writable}
          onEdit={() => on.onEdit(link)}
          onRemove={() => on.onRemove(link)}
        />
      </Td>
    </tr>
  )
}

/** The first tag, and the second where both have room; the others are counted. */
function Tags({ tags, onTag }: { tags: readonly string[]; onTag: (tag: string) => void }) {
  const { t } = useI18n()
  const shown = tags.slice(0, tagsThatFit(tags))
  const more = tags.slice(shown.length)
  return (
    <div className="flex min-w-0 gap-1">
      {shown.map((tag) => (
        <Chip key={tag} onClick={() => onTag(tag)} className="min-w-0" title={tag}>
          {tag}
        </Chip>
      ))}
      {more.length > 0 ? (
        <Tooltip text={more.join(', ')}>
          <span className="tabular shrink-0 self-center text-faint text-xs">
            {t('links.moreTags', { count: more.length })}
          </span>
        </Tooltip>
      ) : null}
    </div>
  )
}

const LINES = Array.from({ length: 12 }, (_, i) => i)

/** The table before its rows have come. */
export function LinkTableSkeleton({ writable }: { writable: boolean }) {
  const { t } = useI18n()
  return (
    <>
      <Loading label={t('common.loading')} />
      <Table className="table-fixed" aria-hidden="true">
        <tbody>
          <tr>
            <td className="h-9 border-line border-b" colSpan={7} />
          </tr>
          {LINES.map((line) => (
            <tr key={line}>
              {writable ? <Td className={COLUMNS.select} /> : null}
              <Td className={COLUMNS.address}>
                <Skeleton className="h-4 w-36" />
              </Td>
              <Td>
                <Skeleton className="h-4 w-56" />
              </Td>
              <Td className={COLUMNS.tags}>
                <Skeleton className="h-5 w-20" />
              </Td>
              <Td className={COLUMNS.days}>
                <Skeleton className="h-5 w-22" />
              </Td>
              <Td end className={COLUMNS.clicks}>
                <Skeleton className="h-4 w-10" />
              </Td>
              <Td end className={COLUMNS.created}>
                <Skeleton className="h-4 w-20" />
              </Td>
              <Td className={COLUMNS.menu} />
            </tr>
          ))}
        </tbody>
      </Table>
    </>
  )
}
