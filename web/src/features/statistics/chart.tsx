import { useState } from 'react'
import {
  Area,
  CartesianGrid,
  ComposedChart,
  Line,
  ReferenceArea,
  ResponsiveContainer,
  Tooltip,
  type TooltipContentProps,
  XAxis,
  YAxis,
} from 'recharts'
import { ticksTo } from './axis.ts'

/** One bucket: its start, what it counts, and what the same bucket of the period before counted. */
export interface ChartPoint {
  start: string
  value: number
  before: number | null
  /** When that one began. */
  beforeStart: string | null
  /** It isn't over: what it counts will grow. */
  open: boolean
}

/** What a chart shows, and in whose words. */
export interface ChartProps {
  points: readonly ChartPoint[]
  /** What is counted, in words: "Clicks". */
  unit: string
  /** What the chart shows in one sentence, for whoever doesn't see it. */
  summary: string
  beforeLabel: string
  /** What is said of a bucket that isn't over. */
  openLabel: string
  rightToLeft: boolean
  /** A bucket's start as the axis has room for it, and in full. */
  tick(start: string): string
  title(start: string): string
  count(value: number): string
  /** As short as an axis needs it: 12K. */
  shortCount(value: number): string
  /** Two buckets that the pointer was dragged between, the earlier one first. */
  onZoom(first: string, last: string): void
}

const PLAIN_LINE = { dot: false, activeDot: false, isAnimationActive: false } as const
const BEFORE = {
  dataKey: 'before',
  stroke: 'var(--plot-before)',
  strokeWidth: 1.5,
  strokeDasharray: '2 4',
  strokeLinecap: 'round',
} as const

/** Counts over time: an area from zero, and the period before as a dotted line. */
export default function Chart({
  points,
  unit,
  summary,
  beforeLabel,
  openLabel,
  rightToLeft,
  tick,
  title,
  count,
  shortCount,
  onZoom,
}: ChartProps) {
  const zoom = useZoom(onZoom)
  // The way to a bucket that isn't over is dashed, so that a morning doesn't look like a fall.
  const drawn = points.map((point, at) => ({
    ...point,
    solid: point.open ? null : point.value,
    dashed: point.open || points[at + 1]?.open ? point.value : null,
  }))
  // Figures and words of an axis stand in the order of their language, though the plot doesn't.
  const turned = (text: string) => (rightToLeft ? `\u2067${text}\u2069` : text)
  const ticks = ticksTo(
    Math.max(0, ...points.map(({ value, before }) => Math.max(value, before ?? 0))),
  )
  return (
    // Lines and axes are laid out from left to right; `reversed` turns them round where it is due.
    <figure dir="ltr" className="h-full" aria-label={summary}>
      <ResponsiveContainer width="100%" height="100%" minWidth={0}>
        <ComposedChart
          data={drawn}
          // Room for half of the last label: without it recharts leaves out most of the others.
          margin={{ top: 8, right: rightToLeft ? 0 : 32, bottom: 0, left: rightToLeft ? 32 : 0 }}
          accessibilityLayer={false}
          {...zoom.handlers}
        >
          <CartesianGrid vertical={false} stroke="var(--plot-grid)" />
          <XAxis
            dataKey="start"
            reversed={rightToLeft}
            tickFormatter={(start: string) => turned(tick(start))}
            tick={{ fill: 'var(--faint)', fontSize: 12 }}
            tickLine={false}
            tickMargin={8}
            axisLine={{ stroke: 'var(--line-strong)' }}
            interval="equidistantPreserveStart"
            minTickGap={16}
            height={30}
          />
          <YAxis
            orientation={rightToLeft ? 'right' : 'left'}
            domain={[0, ticks.at(-1) ?? 0]}
            ticks={ticks}
            // All of them are seen.
            interval={0}
            tickFormatter={(value: number) => turned(shortCount(value))}
            tick={{ fill: 'var(--faint)', fontSize: 12 }}
            tickLine={false}
            axisLine={false}
            allowDecimals={false}
            width={44}
          />
          <Tooltip
            isAnimationActive={false}
            cursor={{ stroke: 'var(--line-strong)' }}
            content={(props) => (
              <Tip
                {...props}
                unit={unit}
                beforeLabel={beforeLabel}
                openLabel={openLabel}
                title={title}
                count={count}
                dir={rightToLeft ? 'rtl' : 'ltr'}
              />
            )}
          />
          <Line {...PLAIN_LINE} {...BEFORE} />
          <Area
            dataKey="value"
            stroke="none"
            fill="var(--plot-1)"
            fillOpacity={0.12}
            dot={points.length === 1 ? { r: 4, fill: 'var(--plot-1)', fillOpacity: 1 } : false}
            activeDot={{
              r: 4,
              fill: 'var(--plot-1)',
              fillOpacity: 1,
              stroke: 'var(--canvas)',
              strokeWidth: 2,
            }}
            isAnimationActive={false}
          />
          {zoom.area ? (
            <ReferenceArea
              x1={zoom.area[0]}
              x2={zoom.area[1]}
              fill="var(--accent)"
              fillOpacity={0.1}
            />
          ) : null}
          {(['solid', 'dashed'] as const).map((part) => (
            <Line
              key={part}
              {...PLAIN_LINE}
              dataKey={part}
              stroke="var(--plot-1)"
              strokeWidth={2}
              {...(part === 'dashed' ? { strokeDasharray: '4 4' } : {})}
            />
          ))}
        </ComposedChart>
      </ResponsiveContainer>
    </figure>
  )
}

/** What the pointer is dragged over. By keyboard the same is said with two dates. */
function useZoom(onZoom: ChartProps['onZoom']) {
  const [area, setArea] = useState<readonly [from: string, to: string] | null>(null)
  const at = ({ activeLabel }: { activeLabel?: string | number | undefined }) =>
    activeLabel === undefined ? undefined : String(activeLabel)
  const end = () => {
    if (area !== null && area[0] !== area[1]) {
      const [first, last] = area[0] < area[1] ? area : [area[1], area[0]]
      onZoom(first, last)
    }
    setArea(null)
  }
  return {
    area,
    handlers: {
      onMouseDown: (state: { activeLabel?: string | number | undefined }) => {
        const label = at(state)
        setArea(label === undefined ? null : [label, label])
      },
      onMouseMove: (state: { activeLabel?: string | number | undefined }) => {
        const label = at(state)
        if (area !== null && label !== undefined) setArea([area[0], label])
      },
      onMouseUp: end,
      onMouseLeave: () => setArea(null),
    },
  }
}

type TipProps = Partial<TooltipContentProps> &
  Pick<ChartProps, 'unit' | 'beforeLabel' | 'openLabel' | 'title' | 'count'> & {
    dir: 'ltr' | 'rtl'
  }

/** What the pointer is at, in words. */
function Tip({ active, payload, unit, beforeLabel, openLabel, title, count, dir }: TipProps) {
  const point = payload?.[0]?.payload as ChartPoint | undefined
  if (active !== true || point === undefined) return null
  return (
    <div dir={dir} className="rounded-sm bg-raised px-3 py-2 text-sm shadow-float">
      <p className="mb-1 text-muted">
        {unit}
        {point.open ? ` · ${openLabel}` : ''}
      </p>
      <p className="tabular flex justify-between gap-6">
        <span className="flex items-center gap-2">
          <span className="h-0.5 w-3 bg-accent" />
          {title(point.start)}
        </span>
        <b className="font-medium">{count(point.value)}</b>
      </p>
      {point.before !== null && (
        <p className="tabular flex justify-between gap-6 text-muted">
          <span className="flex items-center gap-2">
            <span className="w-3 border-t-2 border-dotted border-line-strong" />
            {point.beforeStart === null ? beforeLabel : title(point.beforeStart)}
          </span>
          {count(point.before)}
        </p>
      )}
    </div>
  )
}
