import { afterEach, expect, test } from 'bun:test'
import { EXPORTS_PER_WORKSPACE } from '../../src/statistics/service.ts'
import { childOf } from '../harness/children.ts'
import { eventually } from '../harness/eventually.ts'
import { type Slugline, startSlugline } from '../harness/process.ts'

let slugline: Slugline
afterEach(() => slugline?.dispose())

test.each(['csv', 'parquet'])('an abandoned %s export frees its place', async (format) => {
  slugline = await startSlugline({ LOG_LEVEL: 'error' })
  const { key } = await slugline.createKey()
  const get = (path: string, signal: AbortSignal | null = null) =>
    fetch(`${slugline.url}/api/v1/${path}`, {
      headers: { authorization: `Bearer ${key}` },
      signal,
    })
  expect((await get('stats')).status).toBe(200)
  const statistics = childOf(slugline.pid, 'statistics') as number
  // Nothing is answered from here on: the client leaves before the first byte.
  process.kill(statistics, 'SIGSTOP')
  try {
    const leaving = new AbortController()
    const gone = Array.from({ length: EXPORTS_PER_WORKSPACE }, () =>
      get(`clicks.${format}`, leaving.signal).catch(() => {}),
    )
    const report = get('stats', leaving.signal).catch(() => {})
    await eventually('there is no place left', async () => {
      const tried = await tryOne()
      return tried === 429 ? true : undefined
    })
    leaving.abort()
    await Promise.all([...gone, report])
    await eventually('there are places again', async () =>
      (await tryOne()) === 'waits' ? true : undefined,
    )
  } finally {
    process.kill(statistics, 'SIGCONT')
  }
  const answer = await get(`clicks.${format}`)
  expect(answer.status).toBe(200)
  expect((await answer.bytes()).length).toBeGreaterThan(0)
  // A client that leaves is not an error.
  expect(slugline.output()).not.toContain('"level":50')

  /** 429, or it waits for its first byte, and is aborted. */
  async function tryOne(): Promise<number | 'waits'> {
    const leaving = new AbortController()
    const answer = get(`clicks.${format}`, leaving.signal).then(({ status }) => status)
    // Long for a refusal, also on a busy machine.
    const waits = Bun.sleep(1_000).then(() => 'waits' as const)
    const tried = await Promise.race([answer, waits])
    leaving.abort()
    await answer.catch(() => {})
    return tried
  }
})
