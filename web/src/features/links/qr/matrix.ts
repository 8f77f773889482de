import QRCode from 'qrcode'

export type Correction = 'L' | 'M' | 'Q' | 'H'

/** How a code looks. */
export interface QrLook {
  /** `#rrggbb` */
  dark: string
  light: string
  /** How much of it may be damaged: 7, 15, 25 or 30 %. */
  correction: Correction
  /** Empty modules around it; readers want 4 (ISO/IEC 18004). */
  quiet: number
}

export const DEFAULT_LOOK: QrLook = {
  dark: '#000000',
  light: '#ffffff',
  correction: 'M',
  quiet: 4,
}

/** A code's modules, drawn: a path of one unit a module, and how many there are on a side. */
export interface QrShape {
  path: string
  /** With the quiet zone. */
  side: number
}

/** The shape of a code. Neighbours in a row are one rectangle, so that no hairlines show. */
export function qrShape(text: string, { correction, quiet }: QrLook): QrShape {
  const { modules } = QRCode.create(text, { errorCorrectionLevel: correction })
  const { size } = modules
  let path = ''
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      if (!modules.get(y, x)) continue
      const start = x
      while (x + 1 < size && modules.get(y, x + 1)) x++
      path += `M${start + quiet} ${y + quiet}h${x - start + 1}v1h-${x - start + 1}z`
    }
  }
  return { path, side: size + quiet * 2 }
}

/** The code as an SVG file. */
export function qrSvg(text: string, look: QrLook, size: number): string {
  const { path, side } = qrShape(text, look)
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" ` +
    `viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges">` +
    `<path fill="${look.light}" d="M0 0h${side}v${side}H0z"/>` +
    `<path fill="${look.dark}" d="${path}"/></svg>\n`
  )
}

/** The code as a PNG file of about `size` pixels: whole pixels a module, so that edges are sharp. */
export function qrPng(text: string, look: QrLook, size: number): Promise<Blob> {
  const { path, side } = qrShape(text, look)
  const scale = Math.max(1, Math.round(size / side))
  const canvas = document.createElement('canvas')
  canvas.width = side * scale
  canvas.height = side * scale
  const context = canvas.getContext('2d') as CanvasRenderingContext2D
  context.fillStyle = look.light
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.scale(scale, scale)
  context.fillStyle = look.dark
  context.fill(new Path2D(path))
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob === null ? reject(new Error('no PNG')) : resolve(blob)))
  })
}

/** How well two colours are told apart (WCAG 2.2, relative luminance). */
export function contrast(a: string, b: string): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number]
  return (high + 0.05) / (low + 0.05)
}

export function luminance(colour: string): number {
  const channel = (at: number) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
}
