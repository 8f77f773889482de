import QRCode from 'qrcode'

/** Draws QR codes, for the server and the dashboard, so this file imports nothing of either. */

/** Levels of error correction: 7, 15, 25 or 30 % may be damaged (ISO/IEC 18004). */
export const CORRECTIONS = ['L', 'M', 'Q', 'H'] as const
export const MODULE_SHAPES = ['square', 'rounded', 'dots'] as const
export const EYE_SHAPES = ['square', 'rounded', 'circle'] as const
/** Bounds of a picture's side in pixels, and of the quiet zone in modules. */
export const QR_SIZE = { min: 64, max: 4096, default: 512 } as const
export const QR_MARGIN = { min: 0, max: 16, default: 4 } as const

type Correction = (typeof CORRECTIONS)[number]

/** The style of a code. */
export interface QrStyle {
  /** The quiet zone in modules; readers expect 4 (ISO/IEC 18004). */
  margin: number
  /** `#rrggbb` or `#rrggbbaa` */
  dark: string
  light: string
  correction: Correction
  modules: (typeof MODULE_SHAPES)[number]
  eyes: (typeof EYE_SHAPES)[number]
}

export const DEFAULT_STYLE: QrStyle = {
  margin: QR_MARGIN.default,
  dark: '#000000',
  light: '#ffffff',
  correction: 'M',
  modules: 'square',
  eyes: 'square',
}

/** A rectangle, in modules. */
export interface Box {
  x: number
  y: number
  width: number
  height: number
}

/** The radii of a rectangle's corners, clockwise from the upper left. */
type Radii = readonly [number, number, number, number]

/** A filled rectangle with rounded corners, in modules. */
export interface Shape extends Box {
  radii: Radii
  /** -1: a hole in the surrounding shape. */
  sign: 1 | -1
}

/** A code as shapes, which never overlap except for holes and their content. */
interface QrDrawing {
  /** Modules per side, including the margin. */
  side: number
  shapes: Shape[]
  /** The area for a logo. */
  logo: Box
}

/** Modules per side of a finder pattern. */
const EYE = 7
const SHARP: Radii = [0, 0, 0, 0]
const DOT = 0.95
/** The share of a code's side that a logo covers. The levels Q and H can correct that much. */
const LOGO_PART = 0.2
const LOGO_CORRECTIONS: readonly Correction[] = ['Q', 'H']

/** Whether codes of this error correction stay readable with a logo. */
export function bearsLogo(correction: Correction): boolean {
  return LOGO_CORRECTIONS.includes(correction)
}

/** The shapes of a code with the content `text`. */
export function drawQr(text: string, style: QrStyle, hasLogo = false): QrDrawing {
  const { modules } = QRCode.create(text, { errorCorrectionLevel: style.correction })
  const { size } = modules
  const cleared = 2 * Math.floor((size * LOGO_PART) / 2) + 1
  const from = (size - cleared) / 2
  const isCleared = (at: number) => at >= from && at < from + cleared
  const isDark = (x: number, y: number) => {
    if (x < 0 || y < 0 || x >= size || y >= size || isInEye(x, y, size)) return false
    if (hasLogo && isCleared(x) && isCleared(y)) return false
    return modules.get(y, x) !== 0
  }
  const { margin } = style
  const shapes = [...eyesOf(size, style.eyes), ...modulesOf(size, style.modules, isDark)]
  for (const shape of shapes) {
    shape.x += margin
    shape.y += margin
  }
  const at = margin + from + 0.5
  const logo = { x: at, y: at, width: cleared - 1, height: cleared - 1 }
  return { side: size + margin * 2, shapes, logo }
}

/** With fewer pixels per module, readers can't distinguish the modules. */
const SCALE_MIN = 2

/** Pixels per module: whole ones where a part of a pixel would matter, or the size allows it. */
export function scaleOf(size: number, { side }: Pick<QrDrawing, 'side'>): number {
  const exact = size / side
  return exact >= 8 || exact < 4 ? Math.floor(exact) : exact
}

/** The smallest picture that shows a code of `text` to readers, in pixels. */
export function smallestSize(text: string, style: QrStyle): number {
  const { modules } = QRCode.create(text, { errorCorrectionLevel: style.correction })
  return SCALE_MIN * (modules.size + 2 * style.margin)
}

function isInEye(x: number, y: number, size: number): boolean {
  const isLeft = x < EYE
  const isTop = y < EYE
  return (isLeft && isTop) || (isTop && x >= size - EYE) || (isLeft && y >= size - EYE)
}

/** The three finder patterns: a ring with a block inside. */
function eyesOf(size: number, shape: QrStyle['eyes']): Shape[] {
  const [ring, hole, block] = { square: [0, 0, 0], rounded: [2, 1.2, 1], circle: [3.5, 2.5, 1.5] }[
    shape
  ] as [number, number, number]
  const corners = [
    [0, 0],
    [size - EYE, 0],
    [0, size - EYE],
  ] as const
  return corners.flatMap(([x, y]) => [
    square(x, y, EYE, ring),
    { ...square(x + 1, y + 1, EYE - 2, hole), sign: -1 as const },
    square(x + 2, y + 2, EYE - 4, block),
  ])
}

function square(x: number, y: number, side: number, radius: number): Shape {
  return { x, y, width: side, height: side, radii: [radius, radius, radius, radius], sign: 1 }
}

/** Adjacent modules of a row become one shape. */
function modulesOf(
  size: number,
  shape: QrStyle['modules'],
  isDark: (x: number, y: number) => boolean,
): Shape[] {
  const shapes: Shape[] = []
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      if (!isDark(x, y)) continue
      if (shape === 'dots') {
        const inset = (1 - DOT) / 2
        shapes.push(square(x + inset, y + inset, DOT, DOT / 2))
        continue
      }
      const start = x
      while (isDark(x + 1, y)) x++
      const radius = (atX: number, atY: number) => (isDark(atX, atY) ? 0 : 0.5)
      const radii: Radii =
        shape === 'square'
          ? SHARP
          : [radius(start, y - 1), radius(x, y - 1), radius(x, y + 1), radius(start, y + 1)]
      shapes.push({ x: start, y, width: x - start + 1, height: 1, radii, sign: 1 })
    }
  }
  return shapes
}

/** All shapes as one path, for the even-odd fill rule. */
export function pathOf({ shapes }: Pick<QrDrawing, 'shapes'>): string {
  return shapes.map(subpathOf).join('')
}

function subpathOf({ x, y, width, height, radii }: Shape): string {
  const [a, b, c, d] = radii
  if (a + b + c + d === 0) return `M${n(x)} ${n(y)}h${n(width)}v${n(height)}h${n(-width)}z`
  const arc = (radius: number, dx: number, dy: number) =>
    radius === 0 ? '' : `a${n(radius)} ${n(radius)} 0 0 1 ${n(dx * radius)} ${n(dy * radius)}`
  return [
    `M${n(x + a)} ${n(y)}h${n(width - a - b)}${arc(b, 1, 1)}`,
    `v${n(height - b - c)}${arc(c, -1, 1)}`,
    `h${n(c + d - width)}${arc(d, -1, -1)}`,
    `v${n(a + d - height)}${arc(a, 1, -1)}z`,
  ].join('')
}

/** A number in its shortest sufficiently exact form. */
function n(value: number): string {
  return String(Math.round(value * 1000) / 1000)
}

/** A picture on a code. */
export interface Logo {
  /** A data URL, so that the file needs no other resources. */
  href: string
  width: number
  height: number
}

/** The largest box with a picture's proportions, centred in another. */
export function fitted(box: Box, { width, height }: Pick<Logo, 'width' | 'height'>): Box {
  const scale = Math.min(box.width / width, box.height / height)
  const [w, h] = [width * scale, height * scale]
  return { x: box.x + (box.width - w) / 2, y: box.y + (box.height - h) / 2, width: w, height: h }
}

/** The code as an SVG file. */
export function qrSvg(text: string, style: QrStyle, size: number, logo?: Logo): string {
  const drawing = drawQr(text, style, logo !== undefined)
  const { side } = drawing
  const isSharp = style.modules === 'square' && style.eyes === 'square'
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}"`,
    ` viewBox="0 0 ${side} ${side}"${isSharp ? ' shape-rendering="crispEdges"' : ''}>`,
    `<path fill="${style.light}" d="M0 0h${side}v${side}H0z"/>`,
    `<path fill="${style.dark}" fill-rule="evenodd" d="${pathOf(drawing)}"/>`,
    logo === undefined ? '' : imageOf(logo, fitted(drawing.logo, logo)),
    '</svg>\n',
  ].join('')
}

function imageOf({ href }: Logo, { x, y, width, height }: Box): string {
  return `<image x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}" href="${href}"/>`
}

/** Some cameras can't read lower contrasts. */
export const CONTRAST_MIN = 3

/** Red, green, blue and opacity, each from 0 to 255. */
export type Rgba = readonly [number, number, number, number]

/** Reads `#rrggbb` or `#rrggbbaa`. */
export function rgbaOf(color: string): Rgba {
  const part = (at: number) => Number.parseInt(color.slice(at, at + 2), 16)
  return [part(1), part(3), part(5), color.length > 7 ? part(7) : 255]
}

/** One color painted over another. */
export function over([r, g, b, a]: Rgba, under: Rgba): Rgba {
  const top = a / 255
  const bottom = (under[3] / 255) * (1 - top)
  const alpha = top + bottom
  if (alpha === 0) return [0, 0, 0, 0]
  const mix = (x: number, y: number) => (x * top + y * bottom) / alpha
  return [mix(r, under[0]), mix(g, under[1]), mix(b, under[2]), alpha * 255]
}

const PAPER: Rgba = [255, 255, 255, 255]

/** The contrast of a code's colors (WCAG 2.2), with transparent ones on white paper. */
export function contrastOf({ dark, light }: Pick<QrStyle, 'dark' | 'light'>): number {
  const [a, b] = luminances({ dark, light })
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}

/** Whether the modules are lighter than the background, which some readers can't read. */
export function isInverted(colors: Pick<QrStyle, 'dark' | 'light'>): boolean {
  const [dark, light] = luminances(colors)
  return dark > light
}

function luminances({ dark, light }: Pick<QrStyle, 'dark' | 'light'>): [number, number] {
  const ground = over(rgbaOf(light), PAPER)
  return [luminance(over(rgbaOf(dark), ground)), luminance(ground)]
}

function luminance([red, green, blue]: Rgba): number {
  const channel = (of255: number) => {
    const value = of255 / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * channel(red) + 0.7152 * channel(green) + 0.0722 * channel(blue)
}
