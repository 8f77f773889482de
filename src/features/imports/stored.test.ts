// What imports store: how far they are, which rows are kept, and how many may be unfinished.
import { afterEach, expect, test } from 'bun:test'
import { eventually } from '../../../test/harness/eventually.ts'
import { createLoopWatch } from '../../../test/harness/loop-watch.ts'
import { createOutgoing } from '../../platform/outgoing/index.ts'
import { startService } from './testing/services.ts'
import { createTestImports, type ShownJob, type TestImports } from './testing/site.ts'

/** Nothing may hold up redirects for longer. */
const HOLD_MAX_MS = 250
const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function siteWith(deps: Parameters<typeof createTestImports>[0] = {}): Promise<TestImports> {
  const outgoing = createOutgoing({ allowedNetworks: ['127.0.0.0/8'] })
  const site = await createTestImports({ outgoing, ...deps })
  closing.push(site.close)
  return site
}

test('a page of many records is imported in the steps of a file, and continued within', async () => {
  const site = await siteWith()
  const shortUrls = {
    data: Array.from({ length: 2_500 }, (_, n) => ({
      shortCode: `s${n}`,
      longUrl: `https://example.org/${n}`,
    })),
    pagination: { pagesCount: 1, totalItems: 2_500 },
  }
  const { url, stop, asked } = startService(() => ({ shortUrls }))
  closing.push(stop)
  const body = { source: 'shlink', base_url: url, token: 'a-secret-token' }
  const answer = await site.send('POST', '/api/v1/imports/remote', { body })
  const { id } = (await answer.clone().json()) as ShownJob
  const watch = createLoopWatch()
  const begun = await eventually('a part of the page is imported', async () => {
    const { progress } = await site.get<ShownJob>(`/api/v1/jobs/${id}`)
    return progress.done > 0 ? progress.done : undefined
  })
  await site.restart()
  const done = await site.finished(answer)
  const longestMs = watch.stop()
  expect(begun).toBeLessThan(2_500)
  expect(begun % 100).toBe(0)
  expect(done.result).toEqual({ created: 2_500, updated: 0, skipped: 0, refused: 0 })
  expect(asked).toHaveLength(2)
  expect(longestMs).toBeLessThan(HOLD_MAX_MS)
}, 240_000)

test('files that are being received count as unfinished jobs, before their content is read', async () => {
  const { imports } = await siteWith()
  const ends: (() => void)[] = []
  let read = 0
  const receive = (workspaceNo = 1) => {
    const end = Promise.withResolvers<void>()
    ends.push(end.resolve)
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          read++
          await end.promise
          controller.enqueue(new TextEncoder().encode('destination_url\nhttps://a.example\n'))
          controller.close()
        },
      },
      { highWaterMark: 0 },
    )
    const headers = { 'Content-Type': 'text/csv' }
    const request = new Request('http://sho.rt/', { method: 'POST', headers, body })
    return imports.receive({ workspace: { no: workspaceNo } }, request).then(
      () => 'received',
      ({ code }) => code,
    )
  }
  const all = Array.from({ length: 25 }, () => receive())
  const other = receive(2)
  const refused = await Promise.all(all.slice(20))
  expect(refused).toEqual(refused.map(() => 'TOO_MANY_JOBS'))
  for (const end of ends) end()
  const received = await Promise.all(all.slice(0, 20).concat(other))
  expect(received).toEqual(received.map(() => 'received'))
  expect(read).toBeLessThanOrEqual(21)
  const next = receive()
  ends.at(-1)?.()
  expect(await next).toBe('received')
})

test.each([
  ['dry_run=true&on_conflict=update', 249],
  // Within a step a record is renamed as it would be.
  ['dry_run=true&on_conflict=rename', 150],
  ['on_conflict=update', 249],
])('a file of records about one link keeps few rows: %s', async (query, omitted) => {
  const site = await siteWith({ rowsMax: 50 })
  const text = `url,slug\n${'https://example.org/,same\n'.repeat(300)}`
  const done = await site.finished(await site.upload(text, 'csv', query))
  expect(done.result).toMatchObject({ refused: 0, rows_omitted: omitted })
  // What changes a link keeps its row, for the undo.
  const changes = Array.from({ length: 120 }, (_, n) => `https://example.org/${n},other\n`)
  const changed = await site.finished(
    await site.upload(`url,slug\n${changes.join('')}`, 'csv', 'on_conflict=update'),
  )
  expect(changed.result).not.toHaveProperty('rows_omitted')
  expect(
    (await site.get<{ data: unknown[] }>(`/api/v1/imports/${changed.id}/rows?limit=100`)).data,
  ).toHaveLength(100)
})

test('a file keeps the rows of the first refused and skipped records, and counts the rest', async () => {
  const site = await siteWith({ rowsMax: 150 })
  await site.finished(await site.upload('url,slug\nhttps://example.org/,taken\n'))
  const text = [
    'url,slug',
    ...Array(200).fill('no URL,'),
    ...Array(200).fill('https://example.org/,taken'),
    'https://example.org/,last',
  ].join('\n')
  for (const query of ['dry_run=true', '']) {
    const done = await site.finished(await site.upload(text, 'csv', query))
    expect(done.result).toEqual({
      created: 1,
      updated: 0,
      skipped: 200,
      refused: 200,
      rows_omitted: 100,
      ...(query !== '' && { kept_until: expect.any(String) }),
    })
    const counts = await Promise.all(
      ['refused', 'skipped', 'created'].map(async (status) => {
        const path = `/api/v1/imports/${done.id}/rows.csv?status=${status}`
        return (await (await site.send('GET', path)).text()).trim().split('\r\n').length - 1
      }),
    )
    expect(counts).toEqual([150, 150, 1])
  }
  const failed = await site.finished(await site.upload(text, 'csv', 'on_conflict=fail'))
  expect(failed.result).toEqual({
    created: 0,
    updated: 0,
    skipped: 0,
    refused: 201,
    rows_omitted: 51,
  })
})
