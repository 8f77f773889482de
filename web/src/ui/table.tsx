import { ArrowDown, ArrowUp } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'
import { cx } from './cx.ts'

/** A table with hairlines; it fills its width. */
export function Table({ className, ...props }: ComponentProps<'table'>) {
  return <table {...props} className={cx('w-full border-collapse text-start', className)} />
}

/** A column heading; with `onSort` a button that sorts. */
export function Th({
  sorted,
  onSort,
  end = false,
  className,
  children,
}: {
  /** The sort order by this column; undefined: not sorted by it. */
  sorted?: 'asc' | 'desc' | undefined
  onSort?: () => void
  /** Numbers are aligned at the end. */
  end?: boolean
  className?: string
  children?: ReactNode
}) {
  const Arrow = sorted === 'asc' ? ArrowUp : ArrowDown
  return (
    <th
      scope="col"
      aria-sort={sorted && (sorted === 'asc' ? 'ascending' : 'descending')}
      className={cx(
        'h-9 whitespace-nowrap border-line border-b px-3 font-medium text-faint text-xs',
        end ? 'text-end' : 'text-start',
        className,
      )}
    >
      {onSort ? (
        <button
          type="button"
          onClick={onSort}
          className={cx(
            'group inline-flex h-6 items-center gap-1 hover:text-fg',
            end && 'flex-row-reverse',
            sorted && 'text-fg',
          )}
        >
          {children}
          <Arrow size={12} className={sorted ? '' : 'opacity-0 group-hover:opacity-50'} />
        </button>
      ) : (
        children
      )}
    </th>
  )
}

/** A cell. */
export function Td({ end = false, className, ...props }: ComponentProps<'td'> & { end?: boolean }) {
  return (
    <td
      {...props}
      className={cx(
        'h-11 border-line border-b px-3',
        end ? 'tabular text-end' : 'text-start',
        className,
      )}
    />
  )
}
