import { expect, test } from 'bun:test'
import { leastOf, shadeOf, worldShapes } from './map-shapes.ts'

test('every country has a shape, and well-known ones have their codes', () => {
  const shapes = worldShapes()
  expect(shapes.length).toBeGreaterThan(170)
  for (const { path } of shapes) expect(path).toMatch(/^M[\d.,MLZ-]+$/)
  const known = new Set(shapes.map(({ country }) => country))
  for (const country of ['DE', 'US', 'BR', 'IN', 'JP', 'ZA', 'AU', 'EG', 'UA', 'TR']) {
    expect(known).toContain(country)
  }
})

test('the legend explains the shades', () => {
  for (const most of [1, 2, 7, 34, 100, 400, 1000, 12_345]) {
    for (let clicks = 1; clicks <= Math.min(most, 500); clicks++) {
      const shade = shadeOf(clicks, most)
      expect(clicks).toBeGreaterThanOrEqual(leastOf(shade, most))
      if (shade < 5) expect(clicks).toBeLessThan(leastOf(shade + 1, most))
    }
    expect(shadeOf(most, most)).toBe(5)
    for (const shade of [1, 2, 3, 4, 5]) expect(String(leastOf(shade, most))).toMatch(/^[125]0*$/)
  }
  expect(shadeOf(0, 5)).toBe(0)
})
