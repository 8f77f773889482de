import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { BROWSER_AGENTS } from '../testing/agents.ts'
import { describeAgent } from './device.ts'

test.each(BROWSER_AGENTS)('$says: $agent', ({ agent, says }) => {
  const { browser, os, device } = describeAgent(agent)
  expect([browser, os, device].map(String)).toEqual(says)
})

test('other agents have short names, or none', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary', maxLength: 600 })), (agent) => {
      const { browser, os } = describeAgent(agent)
      for (const name of [browser, os]) expect(name?.length ?? 1).toBeLessThanOrEqual(32)
    }),
  )
})
