import { once } from 'node:events'
import { constants, crc32, createDeflate } from 'node:zlib'
import { PNG } from 'pngjs'
import {
  drawQr,
  fitted,
  over,
  type QrStyle,
  type Rgba,
  rgbaOf,
  type Shape,
  scaleOf,
} from './drawing.ts'

/** A picture for the middle of a code, as PNG. */
export interface LogoPicture {
  png: Uint8Array
  width: number
  height: number
}

/** Rows drawn before yielding to other requests. */
const BAND = 64
/** Sample lines per pixel for the coverage. */
const LINES = 4
/** Shades between light and dark. */
const SHADES = 64

/** The code as a PNG file of exactly `size` pixels, drawn and compressed band by band. */
export async function qrPng(
  text: string,
  style: QrStyle,
  size: number,
  logo?: LogoPicture,
): Promise<Uint8Array<ArrayBuffer>> {
  const drawing = drawQr(text, style, logo !== undefined)
  const scale = scaleOf(size, drawing)
  const offset = Math.floor((size - scale * drawing.side) / 2)
  const shades = shadesOf(style)
  const overlay = logo && (await overlayOf(logo, fitted(drawing.logo, logo), scale, offset))
  const draw = createRowPainter(drawing.shapes, size, scale, offset)
  const plain = new Uint8Array(size * 4)
  return encodePng(size, (y, row) => {
    const cover = draw(y)
    if (cover !== null) paintRow(plain, cover, shades)
    row.set(plain)
    overlay?.(y, row)
  })
}

/** Paints a row by how much of each pixel is dark. */
function paintRow(row: Uint8Array, cover: Float64Array, shades: Uint8Array): void {
  for (let x = 0; x < cover.length; x++) {
    const from = Math.round((cover[x] as number) * SHADES) * 4
    for (let part = 0; part < 4; part++) row[x * 4 + part] = shades[from + part] as number
  }
}

/** Colors by how much of a pixel is dark, four bytes each. */
function shadesOf({ dark, light }: QrStyle): Uint8Array {
  const [r, g, b, a] = rgbaOf(dark)
  const ground = rgbaOf(light)
  const colors = Array.from({ length: SHADES + 1 }, (_, shade) =>
    over([r, g, b, (a * shade) / SHADES], ground),
  )
  return Uint8Array.from(colors.flat().map(Math.round))
}

/**
 * Computes how much of each pixel of a row is dark, from 0 to 1. Null: as in the row above, which saves
 * half of the work.
 */
function createRowPainter(shapes: readonly Shape[], size: number, scale: number, offset: number) {
  const rows: Shape[][] = Array.from({ length: size }, () => [])
  for (const shape of shapes) {
    const last = Math.ceil(offset + (shape.y + shape.height) * scale)
    for (let y = Math.floor(offset + shape.y * scale); y < last; y++) rows[y]?.push(shape)
  }
  // The coverage of the pixel itself, and the change of coverage for all pixels from it on.
  const own = new Float64Array(size + 1)
  const change = new Float64Array(size + 2)
  const add = (from: number, to: number, weight: number) => {
    const [first, last] = [Math.floor(from), Math.floor(to)]
    if (first === last) {
      own[first] = (own[first] as number) + (to - from) * weight
      return
    }
    own[first] = (own[first] as number) + (first + 1 - from) * weight
    own[last] = (own[last] as number) + (to - last) * weight
    change[first + 1] = (change[first + 1] as number) + weight
    change[last] = (change[last] as number) - weight
  }
  const cover = new Float64Array(size)
  return (y: number): Float64Array | null => {
    if (y > 0 && isLikeAbove(rows, y, scale, offset)) return null
    own.fill(0)
    change.fill(0)
    for (let line = 0; line < LINES; line++) {
      const at = (y + (line + 0.5) / LINES - offset) / scale
      for (const shape of rows[y] as Shape[]) {
        const below = at - shape.y
        if (below < 0 || below >= shape.height) continue
        const [left, right] = insetsAt(shape, below)
        const from = offset + (shape.x + left) * scale
        const to = offset + (shape.x + shape.width - right) * scale
        if (to > from) add(from, to, shape.sign / LINES)
      }
    }
    let sum = 0
    for (let x = 0; x < size; x++) {
      sum += change[x] as number
      cover[x] = Math.min(1, Math.max(0, sum + (own[x] as number)))
    }
    return cover
  }
}

/** Whether a row of pixels crosses the same straight sides as the one above it. */
function isLikeAbove(rows: readonly Shape[][], y: number, scale: number, offset: number): boolean {
  const [row, above] = [rows[y] as Shape[], rows[y - 1] as Shape[]]
  const [from, to] = [(y - 1 - offset) / scale, (y + 1 - offset) / scale]
  return (
    row.length === above.length &&
    row.every((shape, i) => {
      const [a, b, c, d] = shape.radii
      const isStraight = from >= shape.y + Math.max(a, b)
      return shape === above[i] && isStraight && to <= shape.y + shape.height - Math.max(c, d)
    })
  )
}

/** The distance of a line from the left and right sides, `below` the upper side. */
function insetsAt({ height, radii: [a, b, c, d] }: Shape, below: number): [number, number] {
  const above = height - below
  const inset = (upper: number, lower: number) => {
    if (below < upper) return upper - Math.sqrt(upper ** 2 - (upper - below) ** 2)
    if (above < lower) return lower - Math.sqrt(lower ** 2 - (lower - above) ** 2)
    return 0
  }
  return [inset(a, d), inset(b, c)]
}

/** Paints a row of the logo. */
async function overlayOf(
  logo: LogoPicture,
  box: { x: number; y: number; width: number; height: number },
  scale: number,
  offset: number,
) {
  const [width, height] = [box.width, box.height].map((side) =>
    Math.max(1, Math.round(side * scale)),
  ) as [number, number]
  const left = Math.round(offset + box.x * scale)
  const top = Math.round(offset + box.y * scale)
  const scaled = await new Bun.Image(logo.png).resize(width, height).png().bytes()
  const { data } = PNG.sync.read(Buffer.from(scaled))
  const pixel = (from: Uint8Array, at: number) => from.subarray(at, at + 4) as unknown as Rgba
  return (y: number, row: Uint8Array) => {
    if (y < top || y >= top + height) return
    for (let x = 0; x < width; x++) {
      const at = (left + x) * 4
      const color = over(pixel(data, ((y - top) * width + x) * 4), pixel(row, at))
      row.set(color.map(Math.round), at)
    }
  }
}

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')

/**
 * A PNG (W3C PNG, third edition) whose rows are compressed as they are painted: a picture of 4,096
 * pixels would take 64 MiB in memory.
 */
async function encodePng(
  size: number,
  paint: (y: number, row: Uint8Array) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(size, 4)
  // Eight bits of red, green, blue and opacity.
  header.set([8, 6, 0, 0, 0], 8)
  const deflate = createDeflate({ level: 6, strategy: constants.Z_DEFAULT_STRATEGY })
  const packed: Buffer[] = []
  deflate.on('data', (part: Buffer) => packed.push(part))
  const ended = once(deflate, 'end')
  const length = 1 + size * 4
  for (let from = 0; from < size; from += BAND) {
    const rows = Math.min(BAND, size - from)
    const band = Buffer.alloc(rows * length)
    // The first byte of a row names its filter: none.
    for (let y = 0; y < rows; y++) {
      paint(from + y, band.subarray(y * length + 1, (y + 1) * length))
    }
    await new Promise<void>((resolve, reject) =>
      deflate.write(band, (error) => (error ? reject(error) : resolve())),
    )
  }
  deflate.end()
  await ended
  const parts = [SIGNATURE, ...chunk('IHDR', header), ...chunk('IDAT', Buffer.concat(packed))]
  return Buffer.concat([...parts, ...chunk('IEND', Buffer.alloc(0))])
}

function chunk(type: string, data: Buffer): Buffer[] {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(named))
  return [length, named, check]
}
