import { afterEach, describe, expect, test } from 'bun:test'
import { eventually } from '../../../test/harness/eventually.ts'
import { createOutgoing } from '../../platform/outgoing/index.ts'
import { testDialect } from '../../platform/storage/testing/database.ts'
import { SERVICES, startService } from './testing/services.ts'
import { createTestImports, type ShownJob, type TestImports } from './testing/site.ts'

const TOKEN = 'a-secret-token'
const LOOPBACK = ['127.0.0.0/8']
const NONE = { created: 0, updated: 0, skipped: 0, refused: 0 }
const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function siteWith(
  options: Parameters<typeof createTestImports>[0] = {},
): Promise<TestImports> {
  const outgoing = createOutgoing({ allowedNetworks: LOOPBACK })
  const site = await createTestImports({ outgoing, ...options })
  closing.push(site.close)
  return site
}

function serve(...args: Parameters<typeof startService>) {
  const service = startService(...args)
  closing.push(service.stop)
  return service
}

const ask = (site: TestImports, body: object, query = '') =>
  site.send('POST', `/api/v1/imports/remote${query}`, { body })

/** They differ only before anything is stored, so the other store needs just one of them. */
const READ = Object.entries(SERVICES).slice(0, testDialect === 'sqlite' ? undefined : 1)

describe.each(READ)('%s', (source, service) => {
  test('all pages are read, each link once, and the token is deleted afterwards', async () => {
    const site = await siteWith()
    const { url, asked } = serve(service(230, TOKEN))
    const body = { source, base_url: `${url}/`, token: TOKEN }
    const dry = await site.finished(await ask(site, body, '?dry_run=true'))
    // Neither of them lists the clicks with the links.
    const hasClicks = source !== 'bitly' && source !== 'short_io'
    const clicks = hasClicks ? { imported_clicks: 26_335 } : {}
    expect(dry.result).toEqual({ ...NONE, created: 230, ...clicks })
    expect((await site.links.list()).pagination.total).toBe(0)

    const done = await site.finished(await ask(site, body))
    expect(done).toMatchObject({ type: 'imports.remote', status: 'succeeded', result: dry.result })
    const { pagination, data } = await site.links.list({ limit: '100' })
    expect(pagination.total).toBe(230)
    expect(new Set(data.map((link) => link.destination_url)).size).toBe(100)
    expect(data.some(({ clicks }) => clicks.imported > 0)).toBe(hasClicks)
    expect(asked.every(({ path }) => !path.includes(TOKEN))).toBe(true)

    await site.imports.purge()
    const left = await site.storage.read.db.selectFrom('imports').selectAll().execute()
    const rows = await site.storage.read.db.selectFrom('jobs').selectAll().execute()
    expect(left).toEqual([])
    expect(JSON.stringify(rows)).not.toContain(TOKEN)

    const again = await site.finished(await ask(site, body))
    expect(again.result).toEqual({ created: 0, updated: 0, skipped: 230, refused: 0 })
  })

  test('a wrong token is reported', async () => {
    const site = await siteWith()
    const { url } = serve(service(3, TOKEN))
    const done = await site.finished(await ask(site, { source, base_url: url, token: 'wrong' }))
    expect(done).toMatchObject({ status: 'failed', error: { code: 'SOURCE_REFUSED' } })
  })
})

/** When a site's postponed job may be continued; its place is free. */
const postponedUntil = (site: TestImports) =>
  eventually('the job waits', async () => {
    const row = await site.storage.read.db
      .selectFrom('jobs')
      .select(['lease_owner', 'lease_until'])
      .where('lease_until', 'is not', null)
      .where('started_at', 'is not', null)
      .executeTakeFirst()
    const until = row?.lease_owner === null ? row.lease_until : null
    return until !== null && until > site.clock.ms ? until : undefined
  })

test('it waits as long as the service demands, and continues', async () => {
  const site = await siteWith()
  const { url } = serve(SERVICES.shlink(120, TOKEN), (_, count) => {
    if (count === 2) return new Response('', { status: 429, headers: { 'Retry-After': '7' } })
    return count === 4 ? new Response('', { status: 502 }) : undefined
  })
  const answer = await ask(site, { source: 'shlink', base_url: url, token: TOKEN })
  for (const ms of [7_000, 1_000]) {
    expect(await postponedUntil(site)).toBe(site.clock.ms + ms)
    site.clock.ms += ms
  }
  const done = await site.finished(answer)
  expect(done.result).toEqual({ ...NONE, created: 120, imported_clicks: 7_140 })
})

test('while it waits, jobs of other workspaces run', async () => {
  const site = await siteWith()
  const { url } = serve(SERVICES.shlink(60, TOKEN), (_, count) =>
    count === 1 ? new Response('', { status: 429, headers: { 'Retry-After': '60' } }) : undefined,
  )
  const answer = await ask(site, { source: 'shlink', base_url: url, token: TOKEN })
  await postponedUntil(site)
  const link = await site.links.create({ destination_url: 'https://example.com/' }, 2)
  const stranger = { headers: { Authorization: 'Bearer stranger' } }
  const changed = await site.send('POST', '/api/v1/links/bulk/by-filter', {
    ...stranger,
    body: { filter: {}, expected: 1, patch: { title: 'Changed' } },
  })
  expect(changed.status).toBe(202)
  const path = changed.headers.get('location') as string
  const other = await eventually('the other job has ended', async () => {
    const job = (await (await site.send('GET', path, stranger)).json()) as ShownJob
    return job.status === 'queued' || job.status === 'running' ? undefined : job
  })
  expect(other).toMatchObject({ status: 'succeeded', result: { succeeded: 1 } })
  const { data } = await site.links.list({}, 2)
  expect(data.map(({ id, title }) => [id, title])).toEqual([[link.id, 'Changed']])
  site.clock.ms += 60_000
  expect((await site.finished(answer)).result).toMatchObject({ created: 60 })
})

test.each([
  ['asks to wait too long', 0, '301'],
  ['asks to wait too often', 3, '1'],
])('a service that %s is left', async (_, times, seconds) => {
  const site = await siteWith({ bounds: { waits: 3 } })
  const { url, asked } = serve(SERVICES.shlink(600, TOKEN), (_, count) =>
    count % 2 === 1
      ? new Response('', { status: 429, headers: { 'Retry-After': seconds } })
      : undefined,
  )
  const answer = await ask(site, { source: 'shlink', base_url: url, token: TOKEN })
  for (let n = 0; n < times; n++) {
    await postponedUntil(site)
    site.clock.ms += 1_000
  }
  const done = await site.finished(answer)
  expect(done).toMatchObject({ status: 'failed', error: { code: 'SOURCE_RATE_LIMITED' } })
  expect(asked).toHaveLength(2 * times + 1)
})

test('a permanent failure ends the import; imported links stay, and can be undone', async () => {
  const site = await siteWith({ bounds: { tries: 1 } })
  const { url } = serve(SERVICES.shlink(120, TOKEN), (_, count) =>
    count > 1 ? new Response('', { status: 500 }) : undefined,
  )
  const done = await site.finished(
    await ask(site, { source: 'shlink', base_url: url, token: TOKEN }),
  )
  expect(done).toMatchObject({
    status: 'failed',
    error: { code: 'SOURCE_FAILED' },
    result: { created: 50 },
  })
  const undone = await site.finished(await site.send('POST', `/api/v1/imports/${done.id}/undo`))
  expect(undone.result).toMatchObject({ deleted: 50, restored: 0, kept: 0 })
})

test('an unexpected response ends the import', async () => {
  const site = await siteWith()
  for (const body of ['<html>', '{"links":7}', '[]']) {
    const { url } = serve(() => new Response(body))
    const done = await site.finished(
      await ask(site, { source: 'shlink', base_url: url, token: TOKEN }),
    )
    expect(done).toMatchObject({ status: 'failed', error: { code: 'SOURCE_FAILED' } })
  }
})

test('a killed process is continued by the next one, without duplicate links', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const site = await siteWith()
  const first: string[] = []
  const { url, asked } = serve(SERVICES.kutt(160, TOKEN), async ({ path }, count) => {
    if (count !== 3) return undefined
    first.push(path)
    // The page is never answered: the process stops in the meantime.
    resolve()
    await new Promise((done) => setTimeout(done, 200))
    return new Response('', { status: 500 })
  })
  const answer = await ask(site, { source: 'kutt', base_url: url, token: TOKEN })
  await promise
  await site.restart()
  const done = await site.finished(answer)
  expect(done.result).toEqual({ ...NONE, created: 160, imported_clicks: 12_720 })
  // Committed pages weren't requested again.
  expect(asked.filter(({ path }) => path.includes('skip=0')).length).toBe(1)
})

describe('blocked addresses', () => {
  const details = async (answer: Response) =>
    (
      (await answer.json()) as { error: { details: { field: string; code: string }[] } }
    ).error.details.map(({ field, code }) => [field, code])

  test.each([
    'http://127.0.0.1:9',
    'http://localhost:9',
    'http://10.1.2.3',
    'http://192.168.0.1/path',
    'http://169.254.169.254/latest/meta-data',
    'http://[::1]:9',
    'http://[fd00::1]',
    'http://[::ffff:127.0.0.1]',
    'http://0.0.0.0',
    'http://[::127.0.0.1]',
    'http://100.64.0.1',
    'http://2130706433',
  ])('%s', async (base_url) => {
    const site = await siteWith({ outgoing: createOutgoing() })
    const answer = await ask(site, { source: 'shlink', base_url, token: TOKEN })
    expect(answer.status).toBe(422)
    expect(await details(answer)).toEqual([['base_url', 'URL_NOT_ALLOWED']])
  })

  test('also when a name resolves to one only at connection time', async () => {
    let asked = 0
    const outgoing = createOutgoing({
      resolve: async () => [{ address: asked++ === 0 ? '93.184.216.34' : '127.0.0.1', family: 4 }],
    })
    const site = await siteWith({ outgoing })
    const done = await site.finished(
      await ask(site, { source: 'shlink', base_url: 'http://rebind.example', token: TOKEN }),
    )
    expect(done).toMatchObject({ status: 'failed', error: { code: 'URL_NOT_ALLOWED' } })
  })

  test('also after a redirect, and the token isn’t sent to another origin', async () => {
    const inner = serve(() => ({}))
    const other = serve(SERVICES.shlink(1, TOKEN))
    const { url } = serve((at) =>
      Response.redirect(at.searchParams.get('page') === '1' ? `${other.url}/x` : '/'),
    )
    const site = await siteWith()
    const away = await site.finished(
      await ask(site, { source: 'shlink', base_url: url, token: TOKEN }),
    )
    expect(away.status).toBe('failed')
    expect(other.asked.map(({ headers }) => headers.get('x-api-key'))).toEqual([null])

    const toPrivate = serve(() => Response.redirect(inner.url.replace('127.0.0.1', '127.0.0.2')))
    const outgoing = createOutgoing({ allowedNetworks: ['127.0.0.1/32'] })
    const strict = await siteWith({ outgoing })
    const done = await strict.finished(
      await ask(strict, { source: 'shlink', base_url: toPrivate.url, token: TOKEN }),
    )
    expect(done).toMatchObject({ status: 'failed', error: { code: 'URL_NOT_ALLOWED' } })
    expect(inner.asked).toEqual([])
  })

  test('a self-hosted service needs a valid URL', async () => {
    const site = await siteWith()
    const none = await ask(site, { source: 'shlink', token: TOKEN })
    expect(await details(none)).toEqual([['base_url', 'REQUIRED']])
    const wrong = await ask(site, { source: 'kutt', base_url: 'ftp://a.example', token: TOKEN })
    expect(await details(wrong)).toEqual([['base_url', 'INVALID_URL']])
  })
})
