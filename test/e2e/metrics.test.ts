import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eventually } from '../harness/eventually.ts'
import { type Slugline, startSlugline } from '../harness/process.ts'

let slugline: Slugline
beforeAll(async () => {
  slugline = await startSlugline()
})
afterAll(() => slugline.dispose())

/** The value of a metric with these labels; undefined: there is none. */
async function read(name: string, labels = ''): Promise<number | undefined> {
  const text = await (await slugline.call('GET', '/metrics')).text()
  const line = text.split('\n').find((each) => each.startsWith(`slugline_${name}${labels} `))
  return line === undefined ? undefined : Number(line.split(' ').at(-1))
}

const reaches = (value: number, name: string, labels?: string) =>
  eventually(`${name} is ${value}`, async () =>
    (await read(name, labels)) === value ? true : undefined,
  )

test('every check of readiness is a metric', async () => {
  const ready = (await (await slugline.call('GET', '/readyz')).json()) as {
    checks: { name: string; status: string }[]
  }
  expect(ready.checks.length).toBeGreaterThan(3)
  for (const { name, status } of ready.checks) {
    const labels = (each: string) => `{check="${name}",status="${each}"}`
    expect([name, await read('check_status', labels(status))]).toEqual([name, 1])
  }
  expect(await read('disk_free_bytes')).toBeGreaterThan(0)
})

test('refused sign-ins are counted by code', async () => {
  const code = '{code="SIGN_IN_FAILED"}'
  expect(await read('sign_in_failures_total', code)).toBe(0)
  const refused = await slugline.call('POST', '/app/api/auth/sign-in/email', {
    body: { email: 'nobody@example.com', password: 'not the right password' },
    headers: { 'Sec-Fetch-Site': 'same-origin' },
  })
  expect(refused.status).toBe(401)
  expect(await read('sign_in_failures_total', code)).toBe(1)
})

test('streams are counted while they are open, and jobs when they end', async () => {
  const { key } = await slugline.createKey({ scopes: 'links:read,links:write,events:read' })
  const leaving = new AbortController()
  const headers = { Authorization: `Bearer ${key}` }
  const stream = await fetch(`${slugline.url}/api/v1/events/stream`, {
    headers,
    signal: leaving.signal,
  })
  expect(stream.status).toBe(200)
  await reaches(1, 'streams', '{kind="events"}')
  leaving.abort()
  await reaches(0, 'streams', '{kind="events"}')

  const body = { filter: {}, add_tags: ['spring'], expected: 0 }
  const job = await slugline.call('POST', '/api/v1/links/bulk/by-filter', { key, body })
  expect(job.status).toBe(202)
  await eventually('the job has ended', async () => {
    const text = await (await slugline.call('GET', '/metrics')).text()
    return (
      /^slugline_jobs_ended_total\{type="[\w.]+",status="succeeded"\} 1$/m.test(text) || undefined
    )
  })
  await reaches(0, 'jobs_open')
  expect(await read('jobs_running')).toBe(0)
})
