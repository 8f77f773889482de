/** Places for jobs are shared by workspaces, with real services that never come to an end. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eventually } from '../harness/eventually.ts'
import { type Slugline, startSlugline } from '../harness/process.ts'

/** As many jobs run in a process. */
const PLACES = 4
const IMPORTS = '/api/v1/imports'

interface Job {
  id: string
  status: string
  progress: { done: number }
  result: { created: number } | null
}

/** Each page has new links, and there is always another. */
const endless = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 0,
  async fetch(request) {
    const page = Number(new URL(request.url).searchParams.get('page'))
    await Bun.sleep(50)
    const data = Array.from({ length: 10 }, (_, n) => ({
      shortCode: `p${page}-${n}`,
      longUrl: `https://example.org/${page}/${n}`,
    }))
    return Response.json({ shortUrls: { data, pagination: { pagesCount: 1e9 } } })
  },
})
/** Always asks to come back later. */
const busy = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 0,
  fetch: () => new Response('', { status: 429, headers: { 'Retry-After': '200' } }),
})

let slugline: Slugline
beforeAll(async () => {
  slugline = await startSlugline({ OUTGOING_ALLOWED_NETWORKS: '127.0.0.0/8' })
})
afterAll(async () => {
  await slugline.dispose()
  await Promise.all([endless.stop(true), busy.stop(true)])
})

const keyOf = async (workspace: string) => (await slugline.createKey({ workspace })).key

async function start(key: string, from: typeof endless | null): Promise<string> {
  const file = 'destination_url\nhttps://example.com/\n'
  const body = { source: 'shlink', base_url: from?.url.origin, token: 't' }
  const answer =
    from === null
      ? await slugline.call('POST', IMPORTS, {
          ...{ key, body: file, headers: { 'content-type': 'text/csv' } },
        })
      : await slugline.call('POST', `${IMPORTS}/remote`, { key, body })
  expect(answer.status).toBe(202)
  return ((await answer.json()) as Job).id
}

const jobOf = async (key: string, id: string) =>
  (await (await slugline.call('GET', `/api/v1/jobs/${id}`, { key })).json()) as Job

const when = (key: string, id: string, is: (job: Job) => boolean) =>
  eventually('the job is so far', async () => {
    const job = await jobOf(key, id)
    return is(job) ? job : undefined
  })

test('four endless imports of one workspace leave the places to others', async () => {
  const greedy = await keyOf('greedy')
  const ids: string[] = []
  for (let n = 0; n < PLACES; n++) ids.push(await start(greedy, endless))
  await when(greedy, String(ids[0]), ({ progress }) => progress.done > 0)
  const other = await keyOf('other')
  const done = await when(other, await start(other, null), ({ status }) => status === 'succeeded')
  expect(done.result?.created).toBe(1)
  // Only one of them runs.
  const jobs = await Promise.all(ids.map((id) => jobOf(greedy, id)))
  expect(jobs.map(({ status }) => status)).toEqual(['running', 'queued', 'queued', 'queued'])
  for (const id of ids) await slugline.call('POST', `/api/v1/jobs/${id}/cancel`, { key: greedy })
})

test('endless imports of as many workspaces as there are places take turns with another', async () => {
  const all = await Promise.all(Array.from({ length: PLACES }, (_, n) => keyOf(`w${n}`)))
  const ids = await Promise.all(all.map((key) => start(key, endless)))
  const begun = (n: number) =>
    when(String(all[n]), String(ids[n]), ({ progress }) => progress.done > 0)
  await Promise.all(all.map((_, n) => begun(n)))
  const other = await keyOf('fifth')
  await when(other, await start(other, null), ({ status }) => status === 'succeeded')
  // All of them go on.
  for (const [n, key] of all.entries()) {
    const { progress } = await jobOf(key, String(ids[n]))
    await when(key, String(ids[n]), (job) => job.progress.done > progress.done)
    await slugline.call('POST', `/api/v1/jobs/${ids[n]}/cancel`, { key })
  }
})

test('imports that a service asks to wait take no places', async () => {
  const all = await Promise.all(Array.from({ length: PLACES }, (_, n) => keyOf(`l${n}`)))
  const ids = await Promise.all(all.map((key) => start(key, busy)))
  for (const [n, key] of all.entries()) {
    await when(key, String(ids[n]), ({ status }) => status === 'running')
  }
  const other = await keyOf('sixth')
  await when(other, await start(other, null), ({ status }) => status === 'succeeded')
  const jobs = await Promise.all(all.map((key, n) => jobOf(key, String(ids[n]))))
  expect(jobs.map(({ status }) => status)).toEqual(Array(PLACES).fill('running'))
})
