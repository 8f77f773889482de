import { expect, test } from 'bun:test'
import { killRun, type Victim } from '../harness/kill-run.ts'

const AGENTS = [
  'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (compatible; Googlebot/2.1)',
]

// bench/kill.ts does the same with a million clicks and twenty kills.
test('each answered click is stored once, whatever is killed; links and reports agree', async () => {
  const kills: Victim[] = ['server', 'statistics', 'server', 'click-worker', 'statistics']
  const run = await killRun({
    clicks: 8_000,
    links: 20,
    connections: 16,
    kills: kills.sort(() => Math.random() - 0.5),
    headers: (mark) =>
      `User-Agent: ${AGENTS[mark % 3]}\r\nX-Forwarded-For: 198.51.100.${mark % 200}\r\n` +
      (mark % 50 === 0 ? 'DNT: 1\r\n' : ''),
  })
  expect(run.answered).toBeGreaterThanOrEqual(8_000)
  expect(run.stored).toBe(run.answered + run.surplus)
  expect(run.surplus).toBeLessThanOrEqual(run.inFlight)
  expect(run).toMatchObject({
    answeredMissing: 0,
    storedTwice: 0,
    neverSent: 0,
    otherLink: 0,
    countersDiffer: 0,
    reportsDiffer: 0,
    totalsDiffer: 0,
    mended: 0,
  })
})
