import { DEFAULT_LOOK, type QrLook, qrShape } from './matrix.ts'

/** A code on the page. What it says stands beside it in words. */
export default function QrCode({
  text,
  size,
  look = { ...DEFAULT_LOOK, quiet: 0 },
  faint = false,
}: {
  text: string
  size: number
  look?: QrLook
  /** The code of an address that isn't certain yet. */
  faint?: boolean
}) {
  const { path, side } = qrShape(text, look)
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox={`0 0 ${side} ${side}`}
      shapeRendering="crispEdges"
      className="max-w-full"
      opacity={faint ? 0.25 : 1}
    >
      <path fill={look.light} d={`M0 0h${side}v${side}H0z`} />
      <path fill={look.dark} d={path} />
    </svg>
  )
}
