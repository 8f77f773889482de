import { Link as RouterLink } from '@tanstack/react-router'
import { Plus, Search } from 'lucide-react'
import type { ReactNode } from 'react'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { InputGroup } from '../../ui/input.tsx'
import { MoreMenu } from '../../ui/menu.tsx'
import { More, type Paged } from '../../ui/more.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Loading, SkeletonRows } from '../../ui/skeleton.tsx'
import type { LinksSearch } from '../links/search.ts'

/** What lists of tags and folders have in common. */
interface GroupListProps {
  /** A paged query. */
  list: Paged & {
    isPending: boolean
    isError: boolean
    error: unknown
    refetch: () => Promise<unknown>
  }
  text: string
  onText: (text: string) => void
  of: 'folders' | 'tags'
  icon: ReactNode
  /** Absent: not permitted. */
  onCreate: (() => void) | undefined
  /** One per result. */
  children: readonly ReactNode[]
}

/** Tags or folders: a search, and one row each. */
export function GroupList(props: GroupListProps) {
  const { list, text, onText, of, icon, onCreate, children } = props
  const { t } = useI18n()
  const create = onCreate && (
    <Button icon={<Plus />} onClick={onCreate}>
      {t(`${of}.create`)}
    </Button>
  )
  if (list.isError) return <Problem error={list.error} onRetry={() => void list.refetch()} />
  if (!list.isPending && children.length === 0 && text === '') {
    return (
      <Empty icon={icon} title={t(`${of}.empty.title`)} action={create}>
        <p>{t(`${of}.empty.text`)}</p>
      </Empty>
    )
  }
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <search className="min-w-0 flex-1 basis-44 sm:max-w-88">
          <InputGroup
            role="searchbox"
            aria-label={t(`${of}.search`)}
            placeholder={t(`${of}.search`)}
            value={text}
            onChange={(event) => onText(event.target.value)}
            before={<Search />}
          />
        </search>
        {create}
      </div>
      {list.isPending ? (
        <>
          <Loading label={t('common.loading')} />
          <SkeletonRows />
        </>
      ) : null}
      <ul className="border-line border-t">{children}</ul>
      {!list.isPending && children.length === 0 ? (
        <p className="py-8 text-center text-muted">{t('tags.none')}</p>
      ) : null}
      <More list={list} label={t('tags.more')} />
    </>
  )
}

export const ROW =
  'flex min-h-12 items-center gap-3 border-line border-b px-2 hover:bg-hover focus-within:bg-hover'

/** A folder or tag, with the menu of those who may change it. */
export function GroupRow({
  icon,
  group,
  search,
  note,
  menu,
}: {
  icon: ReactNode
  group: { name: string; links: number }
  /** The list of its links. */
  search: LinksSearch
  note?: string | null
  menu: ReactNode
}) {
  const { t } = useI18n()
  const { may } = usePlace()
  const { name, links } = group
  return (
    <li className={ROW}>
      {icon}
      <div className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-3 py-1">
        <RouterLink
          to="/links"
          search={search}
          dir="auto"
          className="min-w-0 truncate rounded-xs font-medium hover:underline"
        >
          {name}
        </RouterLink>
        {note ? <span className="text-faint text-sm">{note}</span> : null}
      </div>
      <span className="tabular text-muted text-sm">{t('tags.links', { count: links })}</span>
      {may('links:write') ? <MoreMenu label={t('tags.actions', { name })}>{menu}</MoreMenu> : null}
    </li>
  )
}
