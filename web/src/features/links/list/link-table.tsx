import { type MouseEvent, memo } from 'react'
import { useI18n } from '../../../i18n/index.tsx'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { Chip } from '../../../ui/chip.tsx'
import { CopyButton } from '../../../ui/copy.tsx'
import { cx } from '../../../ui/cx.ts'
import { Loading, Skeleton } from '../../../ui/skeleton.tsx'
import { Table, Td, Th } from '../../../ui/table.tsx'
import { RelativeTime } from '../../../ui/time.tsx'
import { Tooltip } from '../../../ui/tooltip.tsx'
import { TagDot } from '../../groups/tag-dot.tsx'
import { PersonName } from '../../members/person.tsx'
import { Address } from '../address.tsx'
import type { Ask } from '../search.ts'
import { type LinksSearch, type Sort, sortOf, sortParameter } from '../search.ts'
import { ArchivedMark, StatusDot } from '../status.tsx'
import { nameOf, tagsThatFit } from '../text.ts'
import { OPTIONAL, useHiddenColumns } from './hidden-columns.ts'
import { ImportedClicks } from './imported.tsx'
import { DestinationLine } from './middle-truncate.tsx'
import { RowMenu } from './row-menu.tsx'
import {
  followInPlace,
  ROW_PX,
  type RowProps,
  type Rows,
  SELECTED,
  useFirstRows,
  useLinkPageAhead,
  useRowProps,
} from './rows.ts'
import { Sparkline } from './sparkline.tsx'

const COLUMNS = {
  select: 'w-9 pe-0! print:hidden',
  address: 'w-[22%]',
  destination: '',
  tags: 'w-36 max-xl:w-30',
  // If there is little room, the destination gets it.
  days: 'w-28 px-2! max-xl:hidden',
  clicks: 'w-22',
  creator: 'w-30',
  created: 'w-30',
  menu: 'w-12 ps-0! print:hidden',
} as const

/** The links, one per row. */
export function LinkTable({ search, ask, ...rows }: Rows & { search: LinksSearch; ask: Ask }) {
  const { t } = useI18n()
  const rowProps = useRowProps(rows)
  const ahead = useLinkPageAhead()
  const first = useFirstRows(rows.links)
  const { links, selection, writable } = rows
  const hidden = useHiddenColumns()
  const chosen = links.filter((link) => selection.has(link)).length
  const sort = sortOf(search)
  const order: 'asc' | 'desc' = search.order ?? 'desc'
  const sorting = (column: Sort) => ({
    sorted: sort === column ? order : undefined,
    onSort: () =>
      ask({
        sort: sortParameter(column, search),
        order: sort === column && order === 'desc' ? 'asc' : undefined,
      }),
  })
  return (
    <Table
      className={cx(
        'table-fixed [&_thead_th]:sticky [&_thead_th]:z-10 [&_thead_th]:bg-canvas [&_thead_th]:shadow-[inset_0_-1px_var(--line)]',
        // Below the bar of bulk actions.
        selection.count > 0 ? '[&_thead_th]:top-10' : '[&_thead_th]:top-0',
      )}
      onPointerEnter={ahead}
    >
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
          {hidden.has('tags') ? null : <Th className={COLUMNS.tags}>{t('links.field.tags')}</Th>}
          {hidden.has('days') ? null : <Th className={COLUMNS.days}>{t('links.last30Days')}</Th>}
          {hidden.has('clicks') ? null : (
            <Th
              className={COLUMNS.clicks}
              end
              {...sorting(sort === 'clicks_with_imported' ? sort : 'clicks')}
            >
              {t('links.clicks')}
            </Th>
          )}
          {hidden.has('creator') ? null : (
            <Th className={COLUMNS.creator}>{t('links.createdBy')}</Th>
          )}
          {hidden.has('created') ? null : (
            <Th className={COLUMNS.created} end {...sorting('created_at')}>
              {t('links.createdAt')}
            </Th>
          )}
          <Th className={COLUMNS.menu}>
            <span className="sr-only">{t('links.actions')}</span>
          </Th>
        </tr>
      </thead>
      <tbody>
        {first.map((link) => (
          <Row key={link.id} {...rowProps(link)} />
        ))}
        {first.length < links.length ? (
          // Keeps the place of the other cells, so that nothing moves when they appear. One cell: more than
          // the table has columns would add a column that takes room.
          <tr>
            <td style={{ height: (links.length - first.length) * ROW_PX }} />
          </tr>
        ) : null}
      </tbody>
    </Table>
  )
}

const Row = memo(function Row({
  link,
  days,
  colors,
  selected,
  fresh,
  writable,
  query,
  href,
  actions,
}: RowProps) {
  const hidden = useHiddenColumns()
  const { t, format } = useI18n()
  const name = nameOf(link)
  /** The whole row opens the link, except its controls. */
  const openUnlessPressed = (event: MouseEvent) => {
    const target = event.target as Element
    if (target.closest('a,button,[role=checkbox],input') || getSelection()?.toString()) return
    actions.open(link)
  }
  return (
    // By keyboard the link in the row does the same.
    <tr
      data-row={link.id}
      onClick={openUnlessPressed}
      className={cx(
        'group/row cursor-pointer transition-colors focus-within:bg-hover hover:bg-hover',
        selected && SELECTED,
        fresh && 'animate-fade-in bg-accent-soft',
      )}
    >
      {writable ? (
        <Td className={COLUMNS.select}>
          <Checkbox
            name={t('links.selectName', { name })}
            checked={selected}
            onChange={(_, isRange) => actions.select(link, isRange)}
          />
        </Td>
      ) : null}
      <Td>
        <div className="relative flex min-w-0 items-center gap-2 pe-8 pointer-coarse:pe-11">
          <StatusDot status={link.status} />
          <a
            data-row-link
            href={href}
            onClick={(event) => followInPlace(event, () => actions.open(link))}
            className="flex min-w-0 scroll-mt-16 rounded-xs font-medium"
            title={name}
          >
            <Address link={link} />
          </a>
          {link.archived ? <ArchivedMark /> : null}
          <CopyButton
            text={link.short_url}
            label={t('links.copyAddress')}
            className="absolute! end-0 text-faint"
          />
        </div>
      </Td>
      <Td>
        {link.title ? (
          // Truncated at its end, also if its script runs the other way than the page.
          <span dir="auto" className="block w-fit max-w-full truncate" title={link.title}>
            {link.title}
          </span>
        ) : null}
        <DestinationLine link={link} query={query} className="text-muted" />
      </Td>
      {hidden.has('tags') ? null : (
        <Td className={COLUMNS.tags}>
          <Tags tags={link.tags} colors={colors} onTag={actions.narrow} />
        </Td>
      )}
      {hidden.has('days') ? null : (
        <Td className={COLUMNS.days}>
          <Sparkline days={days} />
        </Td>
      )}
      {hidden.has('clicks') ? null : (
        <Td end className="leading-tight">
          {format.number(link.clicks.human)}
          <ImportedClicks link={link} />
        </Td>
      )}
      {hidden.has('creator') ? null : (
        <Td className="truncate text-muted text-sm">
          {link.created_by && <PersonName actor={link.created_by} />}
        </Td>
      )}
      {hidden.has('created') ? null : (
        <Td end className="truncate text-muted text-sm">
          <RelativeTime time={link.created_at} short />
        </Td>
      )}
      <Td className={COLUMNS.menu}>
        <RowMenu link={link} actions={actions} writable={writable} />
      </Td>
    </tr>
  )
})

/** The first tag, and the second if there is room for both; the others are counted. */
function Tags({
  tags,
  colors,
  onTag,
}: {
  tags: readonly string[]
  colors: RowProps['colors']
  onTag: (tag: string) => void
}) {
  const { t } = useI18n()
  const shown = tags.slice(0, tagsThatFit(tags))
  const more = tags.slice(shown.length)
  return (
    <div className="flex min-w-0 gap-1">
      {shown.map((tag) => (
        <Chip
          key={tag}
          before={<TagDot color={colors?.get(tag)} />}
          onClick={() => onTag(tag)}
          className="min-w-0"
          title={tag}
        >
          {tag}
        </Chip>
      ))}
      {more.length > 0 ? (
        <Tooltip text={more.join(', ')}>
          <span dir="ltr" className="tabular shrink-0 self-center text-faint text-xs">
            {t('links.moreTags', { count: more.length })}
          </span>
        </Tooltip>
      ) : null}
    </div>
  )
}

const SKELETONS = {
  tags: 'h-5 w-20',
  days: 'h-5 w-22',
  clicks: 'h-4 w-10',
  creator: 'h-4 w-20',
  created: 'h-4 w-20',
}
const LINES = Array.from({ length: 12 }, (_, i) => i)

/** The first row of a table with fixed layout determines the column widths. */
function HeadCell({ className }: { className?: string }) {
  return <td className={cx('h-9 border-line border-b', className)} />
}

/** The table while loading. */
export function LinkTableSkeleton({ writable }: { writable: boolean }) {
  const { t } = useI18n()
  const hidden = useHiddenColumns()
  const columns = OPTIONAL.filter((name) => !hidden.has(name))
  return (
    <>
      <Loading label={t('common.loading')} />
      <Table className="table-fixed" aria-hidden="true">
        <tbody>
          <tr>
            {writable ? <HeadCell className={COLUMNS.select} /> : null}
            <HeadCell className={COLUMNS.address} />
            <HeadCell />
            {columns.map((name) => (
              <HeadCell key={name} className={COLUMNS[name]} />
            ))}
            <HeadCell className={COLUMNS.menu} />
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
              {columns.map((name) => (
                <Td
                  key={name}
                  end={name === 'clicks' || name === 'created'}
                  className={COLUMNS[name]}
                >
                  <Skeleton className={SKELETONS[name]} />
                </Td>
              ))}
              <Td className={COLUMNS.menu} />
            </tr>
          ))}
        </tbody>
      </Table>
    </>
  )
}
