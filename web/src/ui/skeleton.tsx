import { cx } from './cx.ts'

/** A grey place where something will stand, in its final size; seen only after 150 ms. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <span aria-hidden="true" className="inline-block animate-appear-late align-middle">
      <span
        className={cx('block animate-breathe rounded-xs bg-pressed', className ?? 'h-4 w-24')}
      />
    </span>
  )
}

/** Something is loading, for those who don't see the skeletons. */
export function Loading({ label }: { label: string }) {
  return (
    <span role="status" className="sr-only">
      {label}
    </span>
  )
}
