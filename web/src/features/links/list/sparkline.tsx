import { useI18n } from '../../../i18n/index.tsx'
import { cx } from '../../../ui/cx.ts'

const WIDTH = 88
const HEIGHT = 22

/**
 * The clicks of 30 days as a small chart from zero, labelled with the sum. The current day is
 * incomplete: its segment is faint, so that a morning doesn't look like a drop.
 */
export function Sparkline({
  days,
  fluid = false,
}: {
  days: readonly number[] | undefined
  /** As wide as its container. */
  fluid?: boolean
}) {
  const { t } = useI18n()
  if (days === undefined || days.length === 0) {
    return <span className={cx('block h-5.5', fluid ? 'w-full' : 'w-22')} />
  }
  const most = Math.max(...days, 1)
  const step = WIDTH / Math.max(days.length - 1, 1)
  const y = (value: number) => (HEIGHT - 1.5 - (value / most) * (HEIGHT - 4)).toFixed(1)
  const points = days.map((value, i) => `${(i * step).toFixed(1)},${y(value)}`)
  const total = days.reduce((sum, value) => sum + value, 0)
  const line = {
    fill: 'none',
    className: 'stroke-accent-text',
    strokeWidth: 1.5,
    strokeLinejoin: 'round',
    vectorEffect: 'non-scaling-stroke',
  } as const
  return (
    <svg
      role="img"
      aria-label={t('links.sparkline', { count: total })}
      width={fluid ? '100%' : WIDTH}
      height={HEIGHT}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      // Time has the direction of the text.
      className="block rtl:-scale-x-100"
    >
      {total === 0 ? (
        <path d={`M0 ${HEIGHT - 1.5}H${WIDTH}`} className="stroke-line" strokeWidth="1.5" />
      ) : (
        <>
          <polygon
            points={`0,${HEIGHT} ${points.join(' ')} ${WIDTH},${HEIGHT}`}
            className="fill-accent opacity-12"
          />
          <polyline {...line} points={points.slice(0, -1).join(' ')} />
          <polyline {...line} points={points.slice(-2).join(' ')} opacity={0.35} />
        </>
      )}
    </svg>
  )
}
