import { cx } from './cx.ts'

/** A placeholder in the final size of content; visible only after 150 ms. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <span aria-hidden="true" className="inline-block animate-appear-late align-middle">
      <span
        className={cx('block animate-breathe rounded-xs bg-pressed', className ?? 'h-4 w-24')}
      />
    </span>
  )
}

/** Announces loading to screen readers. */
export function Loading({ label }: { label: string }) {
  return (
    <span role="status" className="sr-only">
      {label}
    </span>
  )
}

/** Placeholders of a list's rows. */
export function SkeletonRows({ count = 4, tall = false }: { count?: number; tall?: boolean }) {
  return (
    <div className="border-line border-t">
      {Array.from({ length: count }, (_, row) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
          key={row}
          className={cx(
            'flex items-center gap-8 overflow-hidden border-line border-b px-2',
            tall ? 'h-14' : 'h-12',
          )}
        >
          <Skeleton className="h-4 w-40" />
          <Skeleton className="h-4 w-20" />
        </div>
      ))}
    </div>
  )
}
