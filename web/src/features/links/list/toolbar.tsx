import { useLocation } from '@tanstack/react-router'
import { ArrowDown, ArrowUp, ChevronDown, ListFilter, Search, X } from 'lucide-react'
import { Suspense, useEffect, useRef, useState } from 'react'
import { useShortcuts } from '../../../app/shortcuts.ts'
import { type Formats, useI18n } from '../../../i18n/index.tsx'
import { lazyComponent } from '../../../lib/lazy-component.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { InputGroup } from '../../../ui/input.tsx'
import { Kbd } from '../../../ui/kbd.tsx'
import { Menu, MenuRadio } from '../../../ui/menu.tsx'
import { Popover } from '../../../ui/popover.tsx'
import type { LinkList } from '../queries.ts'
import { type Ask, type LinksSearch, SORTS, sortOf, sortParameter } from '../search.ts'
import { Views } from '../views/button.tsx'
import { ColumnChoice } from './columns.tsx'
import { Export } from './export.tsx'
import { FolderFilter } from './folder-filter.tsx'
import { firstRowLink } from './row-keys.ts'

/** Keys that follow each other faster than this cause one request. */
const PACE_MS = 50
const Filters = lazyComponent(() => import('./filters.tsx'), 'Filters')

export function Toolbar({
  search,
  ask,
  list,
}: {
  search: LinksSearch
  ask: Ask
  /** Undefined: loading. */
  list: LinkList | undefined
}) {
  const { t, format } = useI18n()
  const sort = sortOf(search)
  const descending = search.order !== 'asc'
  const hasImported = list?.data.some(({ clicks }) => clicks.imported > 0) ?? false
  const sorts = SORTS.filter(
    (one) =>
      one === sort ||
      (one === 'relevance'
        ? search.q !== undefined
        : one !== 'clicks_with_imported' || hasImported),
  )
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      <SearchField value={search.q ?? ''} onChange={(q) => ask({ q }, true)} />
      <Views search={search} />
      <FolderFilter search={search} ask={ask} />
      <Popover
        title={t('links.filters')}
        className="w-80"
        trigger={
          <Button brief icon={<ListFilter />}>
            {t('links.filters')}
          </Button>
        }
      >
        <Suspense fallback={<div className="h-72" />}>
          <Filters search={search} ask={ask} />
        </Suspense>
      </Popover>
      <div className="flex items-center">
        <Menu
          align="start"
          trigger={
            <Button>
              <span className="sr-only">{t('links.sortBy')}</span>
              {t(`links.sort.${sort}`)}
              <ChevronDown className="text-faint" />
            </Button>
          }
        >
          <MenuRadio
            label={t('links.sortBy')}
            value={sort}
            onChange={(next) => ask({ sort: sortParameter(next, search) })}
            options={sorts.map((value) => ({ value, label: t(`links.sort.${value}`) }))}
          />
        </Menu>
        <IconButton
          label={descending ? t('links.descending') : t('links.ascending')}
          icon={descending ? <ArrowDown /> : <ArrowUp />}
          onClick={() => ask({ order: descending ? 'asc' : undefined })}
        />
        <Export search={search} />
        <ColumnChoice />
      </div>
      <p role="status" className="tabular ms-auto text-faint text-sm">
        {list === undefined ? '' : t('links.count', countOf(list.pagination, format))}
      </p>
    </div>
  )
}

function countOf({ total, total_is_exact }: LinkList['pagination'], format: Formats) {
  return { count: total, number: atLeast(total, total_is_exact, format) }
}

/** A number, or a lower bound. */
export function atLeast(total: number, isExact: boolean | undefined, format: Formats): string {
  return `${format.number(total)}${isExact === false ? '+\u200e' : ''}`
}

/** Searches while typing. */
function SearchField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { t } = useI18n()
  const [text, setText] = useState(value)
  const input = useRef<HTMLInputElement>(null)
  const sent = useRef(value)
  const sentAt = useRef(Number.NEGATIVE_INFINITY)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useShortcuts({ '/': () => input.current?.select() })
  // From another page.
  const isAsked = useLocation({ select: ({ state }) => state.search === true })
  useEffect(() => {
    if (isAsked) input.current?.focus()
  }, [isAsked])

  // The URL may change by itself: back, or a filter that was cleared.
  useEffect(() => {
    if (value === sent.current) return
    clearTimeout(timer.current)
    sent.current = value
    setText(value)
  }, [value])
  useEffect(() => () => clearTimeout(timer.current), [])

  const send = (next: string) => {
    sent.current = next
    sentAt.current = performance.now()
    onChange(next)
  }
  /** The first key sends a request immediately: a response takes less time than the next key. */
  const type = (next: string, isComposing = false) => {
    setText(next)
    clearTimeout(timer.current)
    if (isComposing || next === sent.current) return
    const waitMs = sentAt.current + PACE_MS - performance.now()
    if (waitMs <= 0) send(next)
    else timer.current = setTimeout(() => send(next), waitMs)
  }
  return (
    <search className="print:hidden min-w-40 flex-1 basis-40 sm:max-w-88 sm:min-w-44 sm:basis-60">
      <InputGroup
        ref={input}
        // Not `type="search"`: the browser would add a second button that clears it.
        role="searchbox"
        enterKeyHint="search"
        aria-label={t('links.search')}
        placeholder={t('links.search')}
        value={text}
        onChange={({ target, nativeEvent }) =>
          // Unfinished input of an input method isn't a word yet.
          type(target.value, nativeEvent instanceof InputEvent && nativeEvent.isComposing)
        }
        onCompositionEnd={({ currentTarget }) => type(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return
          if (event.key === 'Enter' || event.key === 'ArrowDown') {
            event.preventDefault()
            // Otherwise the event would go on to the row.
            event.stopPropagation()
            firstRowLink()?.focus()
          } else if (event.key === 'Escape') {
            if (text === '') input.current?.blur()
            else type('')
          }
        }}
        before={<Search />}
        after={
          text === '' ? (
            <span className="hidden pe-1 md:block" aria-hidden="true">
              <Kbd>/</Kbd>
            </span>
          ) : (
            <button
              type="button"
              aria-label={t('links.clearSearch')}
              onClick={() => {
                type('')
                input.current?.focus()
              }}
              className="flex size-6 items-center justify-center rounded-xs hover:text-fg"
            >
              <X />
            </button>
          )
        }
      />
    </search>
  )
}
