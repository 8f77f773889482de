import { useI18n } from '../i18n/index.tsx'

/** A time as "3 hours ago"; on hover exact, on paper with its date. */
export function RelativeTime({
  time,
  short = false,
  className,
}: {
  time: string
  /** For narrow places: "3 min. ago". */
  short?: boolean
  className?: string
}) {
  const { format } = useI18n()
  return (
    // `Tooltips` formats the exact time when it is shown: that takes longer than the rest of a row.
    <time
      data-tip=""
      data-printed={format.dateTime(time)}
      dateTime={time}
      className={className ?? 'whitespace-nowrap'}
    >
      <span className="print:hidden">
        {short ? format.relativeShort(time) : format.relative(time)}
      </span>
    </time>
  )
}
