import { useI18n } from '../i18n/index.tsx'
import { Tooltip } from './tooltip.tsx'

/** A time as "3 hours ago", exact on hover. */
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
    <Tooltip text={format.exact(time)}>
      <time dateTime={time} className={className ?? 'whitespace-nowrap'}>
        {short ? format.relativeShort(time) : format.relative(time)}
      </time>
    </Tooltip>
  )
}
