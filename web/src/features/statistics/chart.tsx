import { scaleLinear } from 'd3-scale'
import { area, line } from 'd3-shape'
import { type PointerEvent, useEffect, useRef, useState } from 'react'
import { ticksTo } from './axis.ts'

/** A bucket: its start, its count, and that of the same bucket in the compared period. */
export interface ChartPoint {
  start: string
  value: number
  before: number | null
  /** The start of the compared bucket. */
  beforeStart: string | null
  /** It is in progress: its count will grow. */
  open: boolean
}

/** The data and texts of a chart. */
export interface ChartProps {
  points: readonly ChartPoint[]
  /** The name of the counted unit: "Clicks". */
  unit: string
  /** A summary of the chart in one sentence, for screen readers. */
  summary: string
  beforeLabel: string
  /** The label of a bucket in progress. */
  openLabel: string
  rightToLeft: boolean
  /** A bucket's start, short for the axis. */
  tick(start: string): string
  /** The whole bucket. */
  span(start: string): string
  count(value: number): string
  /** A short count for the axis: 12K. */
  shortCount(value: number): string
  /** Whether a bucket can be opened by a click. */
  canOpen: boolean
  /** The first and last bucket of a dragged range, or a clicked one twice. */
  onZoom(first: string, last: string): void
}

/** Space for the numbers beside the plot, for half of the last label, and for the labels below. */
const AXIS = 44
const END = 28
const TOP = 8
const BOTTOM = 30
/** The approximate width of a character, and the gap between two labels. */
const CHARACTER = 6.5
const LABEL_GAP = 16

/** Counts over time: an area from zero, and the compared period as a dotted line. */
export function Chart(props: ChartProps) {
  const { points, summary, rightToLeft, tick, shortCount } = props
  const box = useRef<HTMLElement>(null)
  const { width, height } = useSize(box)
  const plot = {
    width: Math.max(0, width - AXIS - END),
    height: Math.max(0, height - TOP - BOTTOM),
  }
  const left = rightToLeft ? END : AXIS
  const last = points.length - 1
  const ticks = ticksTo(
    Math.max(0, ...points.map(({ value, before }) => Math.max(value, before ?? 0))),
  )
  const y = scaleLinear([0, ticks.at(-1) ?? 1], [TOP + plot.height, TOP])
  const sides = [left, left + plot.width]
  // A single bucket is centred.
  const x = scaleLinear(last > 0 ? [0, last] : [-1, 1], rightToLeft ? sides.reverse() : sides)
  const pointer = usePointer(props, (offset) =>
    Math.min(last, Math.max(0, Math.round(x.invert(offset)))),
  )
  const labels = points.map(({ start }) => tick(start))
  const widest = Math.max(0, ...labels.map(({ length }) => length)) * CHARACTER + LABEL_GAP
  const every = Math.max(1, Math.ceil((widest * Math.max(1, last)) / Math.max(1, plot.width)))
  // Numbers and words of an axis have the direction of their language, though the plot doesn't.
  const turned = (text: string) => (rightToLeft ? `\u2067${text}\u2069` : text)
  return (
    <figure ref={box} dir="ltr" className="relative h-full print:min-h-40" aria-label={summary}>
      {width === 0 ? null : (
        <svg
          {...sizeOf(width, height)}
          className="absolute max-w-full print:static print:h-auto"
          aria-hidden="true"
        >
          {ticks.map((value) => (
            <g key={value}>
              <line
                x1={left}
                x2={left + plot.width}
                y1={y(value)}
                y2={y(value)}
                stroke={value === 0 ? 'var(--line-strong)' : 'var(--plot-grid)'}
              />
              <text
                x={rightToLeft ? left + plot.width + 8 : left - 8}
                y={y(value)}
                dy="0.32em"
                textAnchor={rightToLeft ? 'start' : 'end'}
                className="fill-faint text-xs tabular"
              >
                {turned(shortCount(value))}
              </text>
            </g>
          ))}
          {labels.map((label, at) =>
            at % every === 0 ? (
              <text
                key={points[at]?.start}
                data-label
                x={x(at)}
                y={TOP + plot.height + 20}
                textAnchor="middle"
                className="fill-faint text-xs"
              >
                {turned(label)}
              </text>
            ) : null,
          )}
          <Lines points={points} x={x} y={y} />
          {pointer.dragged === null ? null : (
            <rect
              x={Math.min(...pointer.dragged.map(x))}
              y={TOP}
              width={Math.abs(x(pointer.dragged[0]) - x(pointer.dragged[1]))}
              height={plot.height}
              fill="var(--accent)"
              fillOpacity={0.1}
            />
          )}
          {pointer.at === null ? null : (
            <>
              <line
                x1={x(pointer.at)}
                x2={x(pointer.at)}
                y1={TOP}
                y2={TOP + plot.height}
                stroke="var(--line-strong)"
              />
              <Dot x={x(pointer.at)} y={y(points[pointer.at]?.value ?? 0)} />
            </>
          )}
          <rect
            data-plot
            x={left}
            y={TOP}
            width={plot.width}
            height={plot.height}
            fill="transparent"
            {...pointer.handlers}
          />
        </svg>
      )}
      {pointer.at === null ? null : (
        <Tip {...props} at={pointer.at} x={x(pointer.at)} width={width} />
      )}
    </figure>
  )
}

/** On paper, which is narrower than the window, it becomes smaller. */
const sizeOf = (width: number, height: number) => ({
  width,
  height,
  viewBox: `0 0 ${width} ${height}`,
})

/** The size of an element; zero until it is measured. */
function useSize(box: { current: HTMLElement | null }) {
  const [size, setSize] = useState({ width: 0, height: 0 })
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const observer = new ResizeObserver(() =>
      setSize({ width: element.clientWidth, height: element.clientHeight }),
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [box])
  return size
}

type Scale = (value: number) => number

/**
 * The area and its line, and the compared period. The segment to a bucket in progress is dashed, so
 * that a morning doesn't look like a drop.
 */
function Lines({ points, x, y }: { points: readonly ChartPoint[]; x: Scale; y: Scale }) {
  const indexes = points.map((_, at) => at)
  const valueAt = (at: number) => y(points[at]?.value ?? 0)
  const lineOf = (some: number[]) => line<number>(x, valueAt)(some) ?? ''
  const before = line<number>(x, (at) => y(points[at]?.before ?? 0)).defined(
    (at) => points[at]?.before != null,
  )
  const last = points.length - 1
  const solid = points[last]?.open ? last : last + 1
  return (
    <g fill="none" strokeWidth={2} stroke="var(--plot-1)" strokeLinejoin="round">
      <path
        d={area<number>(x, y(0), valueAt)(indexes) ?? ''}
        fill="var(--plot-1)"
        fillOpacity={0.12}
        stroke="none"
      />
      <path
        d={before(indexes) ?? ''}
        stroke="var(--plot-before)"
        strokeWidth={1.5}
        strokeDasharray="2 4"
        strokeLinecap="round"
      />
      <path d={lineOf(indexes.slice(0, solid))} />
      {solid > 0 ? <path d={lineOf(indexes.slice(solid - 1))} strokeDasharray="4 4" /> : null}
      {points.length === 1 ? <Dot x={x(0)} y={valueAt(0)} /> : null}
    </g>
  )
}

function Dot({ x, y }: { x: number; y: number }) {
  return <circle cx={x} cy={y} r={4} fill="var(--plot-1)" stroke="var(--canvas)" strokeWidth={2} />
}

/** The bucket under the pointer, and the range dragged with a mouse (by keyboard: two dates). */
function usePointer({ points, canOpen, onZoom }: ChartProps, indexAt: (offset: number) => number) {
  const [at, setAt] = useState<number | null>(null)
  const [from, setFrom] = useState<number | null>(null)
  const here = ({ clientX, currentTarget }: PointerEvent<SVGElement>) =>
    indexAt(clientX - (currentTarget.ownerSVGElement?.getBoundingClientRect().left ?? 0))
  const end = () => {
    const [first, last] = [from, at].map((index) => (index === null ? undefined : points[index]))
    if (first && last && (first !== last || canOpen)) {
      const inOrder = first.start < last.start
      onZoom(inOrder ? first.start : last.start, inOrder ? last.start : first.start)
    }
    setFrom(null)
  }
  return {
    at: at !== null && at < points.length ? at : null,
    dragged: from === null || at === null ? null : ([from, at] as const),
    handlers: {
      className: canOpen ? 'cursor-pointer' : '',
      onPointerDown(event: PointerEvent<SVGElement>) {
        // Touch scrolls the page.
        if (event.pointerType === 'mouse') {
          setFrom(here(event))
          // The range may end beyond the plot.
          event.currentTarget.setPointerCapture(event.pointerId)
        }
        setAt(here(event))
      },
      onPointerMove: (event: PointerEvent<SVGElement>) => setAt(here(event)),
      onPointerUp: end,
      onPointerLeave({ pointerType }: PointerEvent<SVGElement>) {
        setFrom(null)
        // A finger leaves when it is lifted: its tooltip stays.
        if (pointerType === 'mouse') setAt(null)
      },
    },
  }
}

/** The tooltip of a bucket; on the side that has room. */
function Tip(props: ChartProps & { at: number; x: number; width: number }) {
  const { points, unit, beforeLabel, openLabel, span, count, rightToLeft, at, x, width } = props
  const point = points[at]
  if (point === undefined) return null
  const place = x < width / 2 ? { left: x + 12 } : { right: width - x + 12 }
  return (
    <div
      dir={rightToLeft ? 'rtl' : 'ltr'}
      className="pointer-events-none absolute top-2 whitespace-nowrap rounded-sm bg-raised px-3 py-2 text-sm shadow-float"
      style={place}
    >
      <p className="mb-1 text-muted">
        {unit}
        {point.open ? ` · ${openLabel}` : ''}
      </p>
      <p className="tabular flex justify-between gap-6">
        <span className="flex items-center gap-2">
          <span className="h-0.5 w-3 bg-accent" />
          {span(point.start)}
        </span>
        <b className="font-medium">{count(point.value)}</b>
      </p>
      {point.before !== null && (
        <p className="tabular flex justify-between gap-6 text-muted">
          <span className="flex items-center gap-2">
            <span className="w-3 border-t-2 border-dotted border-line-strong" />
            {point.beforeStart === null ? beforeLabel : span(point.beforeStart)}
          </span>
          {count(point.before)}
        </p>
      )}
    </div>
  )
}
