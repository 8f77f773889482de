import { expect, test } from 'bun:test'
import { createFormats } from '../../i18n/format.ts'
import { ticksTo } from './axis.ts'

test('an axis begins at zero and ends above the most', () => {
  expect(ticksTo(0)).toEqual([0, 1, 2, 3, 4])
  expect(ticksTo(3)).toEqual([0, 1, 2, 3, 4])
  expect(ticksTo(9)).toEqual([0, 5, 10])
  expect(ticksTo(646)).toEqual([0, 200, 400, 600, 800])
  expect(ticksTo(1_000)).toEqual([0, 250, 500, 750, 1_000])
  expect(ticksTo(1_350)).toEqual([0, 500, 1_000, 1_500])
})

test('its short numbers are the numbers', () => {
  const { compact } = createFormats('en')
  const read = (text: string) => Number.parseFloat(text) * (text.endsWith('K') ? 1_000 : 1)
  for (let most = 0; most < 100_000; most += 7) {
    const ticks = ticksTo(most)
    expect(ticks.at(-1)).toBeGreaterThanOrEqual(most)
    for (const tick of ticks) expect(read(compact(tick))).toBeCloseTo(tick)
  }
})
