import { expect, test } from 'bun:test'
import { type Slugline, startSlugline } from '../harness/process.ts'

const KEYS = 1000
const RETRIES = 5

test(`${KEYS} idempotency keys × ${RETRIES} retries, dropped connections, kills: one link a key`, async () => {
  const slugline = await startSlugline()
  try {
    const { key } = await slugline.createKey()
    const answers = new Map<string, Set<string>>()
    const work = Array.from({ length: KEYS }, (_, i) => `order-${i}`)
    let done = 0
    const runner = async () => {
      for (let name = work.pop(); name !== undefined; name = work.pop()) {
        const bodies = await Promise.all(
          Array.from({ length: RETRIES }, () => withRetry(slugline, key, name as string)),
        )
        answers.set(name, new Set(bodies))
        done++
      }
    }
    const killer = (async () => {
      for (const at of [0.2, 0.5, 0.8]) {
        while (done < KEYS * at) await Bun.sleep(5)
        await slugline.kill()
        await slugline.restart()
      }
    })()
    await Promise.all([killer, ...Array.from({ length: 20 }, runner)])

    for (const [name, bodies] of answers) {
      expect({ name, different: bodies.size }).toEqual({ name, different: 1 })
    }
    const list = await slugline.call('GET', '/api/v1/links?limit=1', { key })
    const { pagination } = (await list.json()) as { pagination: { total: number } }
    expect(pagination.total).toBe(KEYS)
  } finally {
    await slugline.dispose()
  }
}, 240_000)

/** Retries until there is a response; aborts every fourth request. */
async function withRetry(slugline: Slugline, key: string, name: string): Promise<string> {
  for (;;) {
    try {
      const dropAfterMs = Math.random() < 0.25 ? Math.random() * 8 : 30_000
      const answer = await fetch(`${slugline.url}/api/v1/links`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'idempotency-key': name,
        },
        body: JSON.stringify({ destination_url: 'https://example.com/', external_id: name }),
        signal: AbortSignal.timeout(Math.ceil(dropAfterMs)),
      })
      const body = await answer.text()
      if (answer.status === 201) return body
      expect([409, 503]).toContain(answer.status)
    } catch (error) {
      if (error instanceof Error && error.message.startsWith('expect')) throw error
    }
    await Bun.sleep(2)
  }
}
