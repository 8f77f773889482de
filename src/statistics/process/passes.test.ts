import { expect, test } from 'bun:test'
import { keepStore } from './kept-store.ts'
import { createPasses } from './passes.ts'

test('what can not be stored is tried again, less and less often, but as often as was said', async () => {
  const kept = keepStore({
    file: 'nowhere',
    open: () => Promise.reject(new Error('away')),
    failed() {},
  })
  const passes = createPasses({ file: 'nowhere', kept, tell() {}, retryMs: 600 })
  const gaps: number[] = []
  for (let i = 0; i < 4; i++) {
    const { failed, gapMs } = await passes.run()
    expect(failed).toBe(true)
    gaps.push(gapMs)
  }
  expect(gaps).toEqual([250, 500, 600, 600])
  expect(kept.state).toBe('failed')
})
