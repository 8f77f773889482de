import {
  DEFAULT_STYLE,
  drawQr,
  fitted,
  type Logo,
  pathOf,
  type QrStyle,
} from '@src/features/qr/drawing.ts'

/** A code on the page. What it says stands beside it in words. */
export default function QrCode({
  text,
  size,
  style = { ...DEFAULT_STYLE, margin: 0 },
  logo,
  faint = false,
}: {
  text: string
  size: number
  style?: QrStyle
  logo?: Logo | undefined
  /** The code of an address that isn't certain yet. */
  faint?: boolean
}) {
  const drawing = drawQr(text, style, logo !== undefined)
  const { side } = drawing
  const isSharp = style.modules === 'square' && style.eyes === 'square'
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox={`0 0 ${side} ${side}`}
      shapeRendering={isSharp ? 'crispEdges' : undefined}
      className="max-w-full"
      opacity={faint ? 0.25 : 1}
    >
      <path fill={style.light} d={`M0 0h${side}v${side}H0z`} />
      <path fill={style.dark} fillRule="evenodd" d={pathOf(drawing)} />
      {logo ? <image href={logo.href} {...fitted(drawing.logo, logo)} /> : null}
    </svg>
  )
}
