import { cx } from '../../ui/cx.ts'
import { halves } from './text.ts'

/** A text that is shortened in the middle where its place is narrow: both ends say something. */
export function Middle({ text, className }: { text: string; className?: string }) {
  const [start, end] = halves(text)
  return (
    <bdi
      dir="ltr"
      className={cx('flex w-fit min-w-0 max-w-full whitespace-pre', className)}
      title={text}
    >
      <span className="truncate">{start}</span>
      {end === '' ? null : <span className="shrink-0">{end}</span>}
    </bdi>
  )
}
