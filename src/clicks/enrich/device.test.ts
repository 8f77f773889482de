import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { BROWSER_AGENTS } from '../testing/agents.ts'
import { describeAgent } from './device.ts'
import { systemVersion } from './versions.ts'

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

test.each([
  ['[FBAN/FBIOS;FBAV/443.0.0.23.229;FBDV/iPhone14,5;FBSN/iOS;FBSV/17.1.2;FBID/phone]', '17.1.2'],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) [FBAN/FBIOS;FBSN/iPadOS;FBSV/17.2]', '17.2'],
  ['[FBAN/FB4A;FBAV/441.0;FBDV/Pixel 8;FBSV/14]', '14'],
  ['Instagram 312.1.0.34.111 (iPhone14,5; iOS 17_4; en_US; en; scale=3.00)', '17.4'],
  ['TikTok 26.2.0 rv:262018 (iPhone; iOS 14.4.2; en_US) Cronet', '14.4.2'],
  ['Line/13.1.0 iPhone14,5 17.1', null],
])('the system’s version in %s is %p', (agent, version) => {
  expect(systemVersion(agent)).toBe(version)
})
