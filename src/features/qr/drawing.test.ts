import { describe, expect, test } from 'bun:test'
import jsQR from 'jsqr'
import { PNG } from 'pngjs'
import {
  bearsLogo,
  CORRECTIONS,
  contrastOf,
  DEFAULT_STYLE,
  drawQr,
  EYE_SHAPES,
  isInverted,
  MODULE_SHAPES,
  pathOf,
  type QrStyle,
  qrSvg,
  smallestSize,
} from './drawing.ts'
import { type LogoPicture, qrPng } from './png.ts'

const TEXT = 'https://go.example.com/summer-sale?qr=1'

/** The darkest possible logo: the worst case for a reader. */
function blackLogo(width: number, height: number): LogoPicture {
  const png = new PNG({ width, height })
  for (let i = 3; i < png.data.length; i += 4) png.data[i] = 255
  return { png: PNG.sync.write(png), width, height }
}

function decode(png: Uint8Array): { text: string | undefined; width: number; height: number } {
  const { data, width, height } = PNG.sync.read(Buffer.from(png))
  // Transparent pixels are on white paper.
  for (let at = 0; at < data.length; at += 4) {
    const alpha = (data[at + 3] as number) / 255
    for (let part = at; part < at + 3; part++) {
      data[part] = (data[part] as number) * alpha + 255 * (1 - alpha)
    }
  }
  return { text: jsQR(new Uint8ClampedArray(data), width, height)?.data, width, height }
}

test('every variant is read at the smallest size', async () => {
  for (const correction of CORRECTIONS) {
    for (const modules of MODULE_SHAPES) {
      for (const text of ['http://a.io/x?qr=1', TEXT, `${TEXT}&of=${'x'.repeat(40)}`]) {
        for (const margin of [1, 4]) {
          const style = { ...DEFAULT_STYLE, modules, correction, margin }
          const size = smallestSize(text, style)
          for (const more of [0, 9, 23]) {
            const read = decode(await qrPng(text, style, size + more))
            expect([correction, modules, margin, read.text]).toEqual([
              correction,
              modules,
              margin,
              text,
            ])
          }
        }
      }
    }
  }
})

describe('every variant is read at 200 pixels', () => {
  for (const modules of MODULE_SHAPES) {
    for (const eyes of EYE_SHAPES) {
      test(`${modules}, eyes ${eyes}`, async () => {
        for (const correction of CORRECTIONS) {
          for (const logo of [undefined, blackLogo(300, 300), blackLogo(40, 10)]) {
            if (logo && !bearsLogo(correction)) continue
            for (const text of ['http://a.io/x?qr=1', TEXT, `${TEXT}&of=${'x'.repeat(40)}`]) {
              const style = { ...DEFAULT_STYLE, modules, eyes, correction }
              const read = decode(await qrPng(text, style, 200, logo))
              expect([correction, logo?.width, read]).toEqual([
                correction,
                logo?.width,
                { text, width: 200, height: 200 },
              ])
            }
          }
        }
      })
    }
  }
})

test('colors, opacities, margins and sizes keep it readable', async () => {
  const looks: [Partial<QrStyle>, number][] = [
    [{ dark: '#5b21b6', light: '#fde68a' }, 200],
    [{ dark: '#000000', light: '#ffffff00' }, 200],
    [{ dark: '#00000099', light: '#ffffff' }, 200],
    [{ dark: '#ffffff', light: '#102030' }, 200],
    [{ margin: 16 }, 300],
    [{}, 64],
    [{}, 4096],
  ]
  for (const [look, size] of looks) {
    const read = decode(await qrPng(TEXT, { ...DEFAULT_STYLE, ...look }, size))
    expect([look, read]).toEqual([look, { text: TEXT, width: size, height: size }])
  }
})

test('an SVG has the requested size and colors, and embeds its logo', () => {
  const svg = qrSvg(TEXT, { ...DEFAULT_STYLE, dark: '#102030' }, 512)
  expect(svg).toStartWith('<svg xmlns="http://www.w3.org/2000/svg" width="512" height="512"')
  expect(svg).toContain('fill="#102030"')
  expect(svg).not.toContain('<image')
  const logo = { href: 'data:image/png;base64,AAAA', width: 2, height: 1 }
  expect(qrSvg(TEXT, { ...DEFAULT_STYLE, correction: 'H' }, 512, logo)).toContain(logo.href)
})

test('a code has its margin, and more modules with a higher error correction', () => {
  const plain = drawQr(TEXT, DEFAULT_STYLE)
  expect(drawQr(TEXT, { ...DEFAULT_STYLE, margin: 0 }).side).toBe(plain.side - 8)
  expect(drawQr(TEXT, { ...DEFAULT_STYLE, correction: 'H' }).side).toBeGreaterThan(plain.side)
  // The first finder's upper edge: seven modules, with a hole of five in it.
  expect(pathOf(plain)).toStartWith('M4 4h7v7h-7zM5 5h5v5h-5z')
})

test('contrast is computed by WCAG, for transparent colors on white paper', () => {
  expect(contrastOf({ dark: '#000000', light: '#ffffff' })).toBeCloseTo(21)
  expect(contrastOf({ dark: '#777777', light: '#ffffff' })).toBeCloseTo(4.48, 1)
  expect(contrastOf({ dark: '#000000', light: '#00000000' })).toBeCloseTo(21)
  expect(contrastOf({ dark: '#00000000', light: '#ffffff' })).toBeCloseTo(1)
  expect(isInverted({ dark: '#ffffff', light: '#000000' })).toBe(true)
  expect(isInverted(DEFAULT_STYLE)).toBe(false)
})
