import { memo } from 'react'
import { useI18n } from '../../../i18n/index.tsx'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { Chip } from '../../../ui/chip.tsx'
import { CopyButton } from '../../../ui/copy.tsx'
import { cx } from '../../../ui/cx.ts'
import { Loading, Skeleton } from '../../../ui/skeleton.tsx'
import { TagDot } from '../../groups/tag-dot.tsx'
import { Address } from '../address.tsx'
import { ArchivedMark, StatusDot } from '../status.tsx'
import { nameOf } from '../text.ts'
import { ImportedClicks } from './imported.tsx'
import { DestinationLine } from './middle-truncate.tsx'
import { RowMenu } from './row-menu.tsx'
import {
  followInPlace,
  type RowProps,
  type Rows,
  SELECTED,
  useLinkPageAhead,
  useRowProps,
} from './rows.ts'
import { Sparkline } from './sparkline.tsx'

/** As many take two lines at most. */
const TAGS_SHOWN = 4

/** The links if there is no room for a table. */
export function LinkCards(rows: Rows) {
  const rowProps = useRowProps(rows)
  const ahead = useLinkPageAhead()
  return (
    <ul className="-mx-4 border-line border-t sm:-mx-3" onPointerEnter={ahead}>
      {rows.links.map((link) => (
        <Card key={link.id} {...rowProps(link)} />
      ))}
    </ul>
  )
}

const Card = memo(function Card({
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
  const { t, format } = useI18n()
  return (
    <li
      data-row={link.id}
      className={cx(
        'group/row relative flex gap-2 border-line border-b py-2.5 ps-3 pe-1 focus-within:bg-hover',
        // The box of a checkbox has room around it.
        !writable && 'max-sm:ps-4',
        selected && SELECTED,
        fresh && 'bg-accent-soft',
      )}
    >
      {writable ? (
        <Checkbox
          name={t('links.selectName', { name: nameOf(link) })}
          checked={selected}
          onChange={(_, isRange) => actions.select(link, isRange)}
          className="z-1"
        />
      ) : null}
      <div className="flex min-w-0 flex-1 flex-col gap-0.5">
        <div className="flex min-w-0 items-center gap-1.5">
          <StatusDot status={link.status} />
          <a
            data-row-link
            href={href}
            onClick={(event) => followInPlace(event, () => actions.open(link))}
            // The whole card is clickable.
            className="flex min-w-0 font-medium before:absolute before:inset-0"
          >
            <Address link={link} />
          </a>
          {link.archived ? <ArchivedMark /> : null}
        </div>
        {link.title ? (
          <span dir="auto" className="w-fit max-w-full truncate text-muted text-sm">
            {link.title}
          </span>
        ) : null}
        <DestinationLine link={link} query={query} className="text-muted text-sm" />
        {link.tags.length > 0 ? (
          <span className="mt-1 flex min-w-0 flex-wrap gap-1">
            {link.tags.slice(0, TAGS_SHOWN).map((tag) => (
              <Chip key={tag} before={<TagDot color={colors?.get(tag)} />}>
                {tag}
              </Chip>
            ))}
            {link.tags.length > TAGS_SHOWN ? (
              <span className="tabular self-center text-faint text-xs">
                +{format.number(link.tags.length - TAGS_SHOWN)}
              </span>
            ) : null}
          </span>
        ) : null}
      </div>
      <div className="flex shrink-0 flex-col items-end justify-between gap-1">
        <span className="tabular text-end font-medium leading-tight">
          {format.compact(link.clicks.human)}
          <ImportedClicks link={link} />
        </span>
        <Sparkline days={days} />
      </div>
      <div className="relative z-1 -my-1 flex flex-col">
        <RowMenu link={link} actions={actions} writable={writable} />
        <CopyButton text={link.short_url} label={t('links.copyAddress')} />
      </div>
    </li>
  )
})

const LINES = Array.from({ length: 8 }, (_, i) => i)

/** The list while loading. */
export function LinkCardsSkeleton() {
  const { t } = useI18n()
  return (
    <>
      <Loading label={t('common.loading')} />
      <div aria-hidden="true" className="-mx-4 border-line border-t sm:-mx-3">
        {LINES.map((line) => (
          <div key={line} className="flex h-16 flex-col gap-1.5 border-line border-b px-4 py-2.5">
            <Skeleton className="h-4 w-40" />
            <Skeleton className="h-4 w-56" />
          </div>
        ))}
      </div>
    </>
  )
}
