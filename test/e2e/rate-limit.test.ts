import { afterAll, beforeAll, expect, test } from 'bun:test'
import { writePlans } from '../harness/plans.ts'
import { type Slugline, startSlugline } from '../harness/process.ts'

const PER_MINUTE = 1200
/** Room for five seconds in which a busy machine sends nothing: a full bucket doesn't refill. */
const BURST = 100
/** Ten times the plan's rate, for as long as five windows of a second would be. */
const SECONDS = 5

let slugline: Slugline
let key: string

beforeAll(async () => {
  const file = writePlans({ small: { requests_per_minute: PER_MINUTE, burst: BURST } })
  slugline = await startSlugline({ SLUGLINE_PLANS: file })
  key = (await slugline.createKey({ plan: 'small' })).key
})
afterAll(() => slugline.dispose())

const list = (headers: Record<string, string> = {}) =>
  slugline.call('GET', '/api/v1/links?limit=1', { key, headers })

test('ten times the rate: no more than burst + elapsed × rate is admitted, and no less than 99 %', async () => {
  const start = performance.now()
  let admitted = 0
  let refused = 0
  const offered = (PER_MINUTE / 60) * 10 * SECONDS
  const everyMs = (SECONDS * 1000) / offered
  const calls: Promise<void>[] = []
  // The refill counts at least from the first response to the last request.
  let firstAnswer = Number.POSITIVE_INFINITY
  let lastSent = start
  for (let i = 0; i < offered; i++) {
    const due = start + i * everyMs
    if (due > performance.now()) await Bun.sleep(due - performance.now())
    lastSent = performance.now()
    calls.push(
      list().then(async (answer) => {
        firstAnswer = Math.min(firstAnswer, performance.now())
        await answer.text()
        if (answer.status === 200) admitted++
        else {
          expect(answer.status).toBe(429)
          expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
          refused++
        }
      }),
    )
  }
  await Promise.all(calls)
  const elapsed = (performance.now() - start) / 1000
  const bound = BURST + elapsed * (PER_MINUTE / 60)
  expect(admitted).toBeLessThanOrEqual(Math.ceil(bound))
  expect(admitted).toBeGreaterThanOrEqual(
    Math.floor(BURST + ((lastSent - firstAnswer) / 1000 - 0.1) * (PER_MINUTE / 60) * 0.99),
  )
  expect(admitted + refused).toBe(offered)
})

test('a retry after Retry-After is admitted every time', async () => {
  for (let round = 0; round < 3; round++) {
    let refusal: Response | undefined
    while (refusal === undefined) {
      const answers = await Promise.all(Array.from({ length: BURST * 2 }, () => list()))
      refusal = answers.find((answer) => answer.status === 429)
    }
    await Bun.sleep(Number(refusal.headers.get('retry-after')) * 1000)
    expect((await list()).status).toBe(200)
  }
})

test('401 and 403 are not counted', async () => {
  const readOnly = await slugline.createKey({
    plan: 'small',
    scopes: 'links:read',
    workspace: 'ro',
  })
  const remaining = async () => {
    const answer = await slugline.call('GET', '/api/v1/links', { key: readOnly.key })
    return Number(answer.headers.get('x-ratelimit-remaining'))
  }
  expect(await remaining()).toBe(BURST - 1)
  for (let i = 0; i < BURST; i++) {
    const forbidden = await slugline.call('POST', '/api/v1/links', { key: readOnly.key, body: {} })
    expect(forbidden.status).toBe(403)
    const unknown = await slugline.call('GET', '/api/v1/links', { key: `${readOnly.key}x` })
    expect(unknown.status).toBe(401)
  }
  expect(await remaining()).toBeGreaterThanOrEqual(BURST - 2)
})
