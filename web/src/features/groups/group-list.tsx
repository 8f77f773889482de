import { Plus, Search } from 'lucide-react'
import type { ReactNode } from 'react'
import { useI18n } from '../../i18n/index.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { InputGroup } from '../../ui/input.tsx'
import { More, type Paged } from '../../ui/more.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Loading, SkeletonRows } from '../../ui/skeleton.tsx'

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
  searchLabel: string
  createLabel: string
  /** Absent: not permitted. */
  onCreate: (() => void) | undefined
  empty: { icon: ReactNode; title: string; text: string }
  /** One per result. */
  children: readonly ReactNode[]
}

/** Tags or folders: a search, and one row each. */
export function GroupList(props: GroupListProps) {
  const { list, text, onText, searchLabel, createLabel, onCreate, empty, children } = props
  const { t } = useI18n()
  const create = onCreate && (
    <Button icon={<Plus />} onClick={onCreate}>
      {createLabel}
    </Button>
  )
  if (list.isError) return <Problem error={list.error} onRetry={() => void list.refetch()} />
  if (!list.isPending && children.length === 0 && text === '') {
    return (
      <Empty icon={empty.icon} title={empty.title} action={create}>
        <p>{empty.text}</p>
      </Empty>
    )
  }
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <search className="min-w-0 flex-1 basis-44 sm:max-w-88">
          <InputGroup
            role="searchbox"
            aria-label={searchLabel}
            placeholder={searchLabel}
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
