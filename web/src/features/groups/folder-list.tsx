import { useInfiniteQuery } from '@tanstack/react-query'
import { Check, Folder as FolderIcon, FolderLock, Search } from 'lucide-react'
import { useState } from 'react'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { useLeadingDebounce } from '../../lib/use-debounced.ts'
import { Button } from '../../ui/button.tsx'
import { cx } from '../../ui/cx.ts'
import { InputGroup } from '../../ui/input.tsx'
import { ITEM } from '../../ui/popup.ts'
import { Problem } from '../../ui/problem.tsx'
import { type Folder, foldersQuery } from './queries.ts'

/** A searchable list for choosing a folder, or none. */
export function FolderList({
  value,
  withAll = false,
  without,
  none,
  onText,
  onChoose,
}: {
  /** The id of a folder; `none`: no folder; empty: all. */
  value: string
  /** Whether all folders can be chosen. */
  withAll?: boolean
  /** The id of a folder that can't be chosen. */
  without?: string
  /** What it means to choose none. */
  none?: string
  /** Called with what is typed into the search. */
  onText?: (text: string) => void
  onChoose: (value: string, folder: Folder | null) => void
}) {
  const { t } = useI18n()
  const { workspace } = usePlace()
  const [text, setText] = useState('')
  const search = useLeadingDebounce(text, 150)
  const list = useInfiniteQuery(foldersQuery(workspace.id, search))
  const folders = list.data ?? []
  const offered = folders.filter(({ id }) => id !== without)
  const isCurrent = search === text && list.isSuccess && !list.isPlaceholderData
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <InputGroup
        role="searchbox"
        aria-label={t('folders.search')}
        placeholder={t('folders.search')}
        value={text}
        onChange={({ target }) => {
          setText(target.value)
          onText?.(target.value)
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
          // It may be inside a form.
          event.preventDefault()
          const [found] = offered
          if (text !== '' && isCurrent && found) onChoose(found.id, found)
        }}
        before={<Search />}
      />
      <ul className="-mx-1 flex max-h-64 flex-col overflow-y-auto overscroll-contain">
        {text === '' && withAll ? (
          <Line label={t('folders.all')} chosen={value === ''} onClick={() => onChoose('', null)} />
        ) : null}
        {text === '' ? (
          <Line
            label={none ?? t('folders.none')}
            chosen={value === 'none'}
            onClick={() => onChoose('none', null)}
          />
        ) : null}
        {offered.map((folder) => (
          <Line
            key={folder.id}
            folder={folder}
            label={folder.name}
            chosen={value === folder.id}
            onClick={() => onChoose(folder.id, folder)}
          />
        ))}
        {list.isSuccess && offered.length === 0 && text !== '' ? (
          <li className="px-2 py-3 text-muted text-sm">{t('tags.none')}</li>
        ) : null}
        {list.isError && list.data === undefined ? (
          <li>
            <Problem error={list.error} onRetry={() => void list.refetch()} />
          </li>
        ) : null}
        {list.hasNextPage ? (
          <li>
            <Button
              variant="ghost"
              size="sm"
              loading={list.isFetchingNextPage}
              onClick={() => void list.fetchNextPage()}
            >
              {t('tags.more')}
            </Button>
          </li>
        ) : null}
      </ul>
    </div>
  )
}

function Line({
  folder,
  label,
  chosen,
  onClick,
}: {
  folder?: Folder
  label: string
  chosen: boolean
  onClick: () => void
}) {
  const Icon = folder?.access === 'members' ? FolderLock : FolderIcon
  return (
    <li>
      <button
        type="button"
        aria-pressed={chosen}
        onClick={onClick}
        className={cx(ITEM, 'w-full text-start hover:bg-hover', chosen && 'font-medium')}
      >
        <span className="flex w-4 shrink-0 justify-center text-faint">
          {folder ? <Icon /> : null}
        </span>
        <span className="flex min-w-0 flex-1">
          <bdi className="truncate">{label}</bdi>
        </span>
        {chosen ? <Check className="shrink-0" /> : null}
      </button>
    </li>
  )
}
