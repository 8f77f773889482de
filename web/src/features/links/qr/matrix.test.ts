import { expect, test } from 'bun:test'
import { contrast, DEFAULT_LOOK, qrShape, qrSvg } from './matrix.ts'

test('a code has its quiet zone, and more of it where more may be damaged', () => {
  const text = 'https://go.example/abc?qr=1'
  const plain = qrShape(text, DEFAULT_LOOK)
  expect(qrShape(text, { ...DEFAULT_LOOK, quiet: 0 }).side).toBe(plain.side - 8)
  expect(qrShape(text, { ...DEFAULT_LOOK, correction: 'H' }).side).toBeGreaterThan(plain.side)
  // The first finder's upper edge: seven modules.
  expect(plain.path).toStartWith('M4 4h7v1h-7z')
})

test('the file is an SVG of the size and colours that were asked for', () => {
  const svg = qrSvg('a', { ...DEFAULT_LOOK, dark: '#102030' }, 512)
  expect(svg).toStartWith('<svg xmlns="http://www.w3.org/2000/svg" width="512" height="512"')
  expect(svg).toContain('fill="#102030"')
})

test('contrast is that of WCAG', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21)
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 1)
})
