import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { MEMBERS_MAX } from './members.ts'
import { click } from './testing/naive.ts'
import { createTestStatistics, linkId, type TestStatistics } from './testing/statistics.ts'

const NOW = Date.parse('2026-06-15T12:00:00Z')
/** A key whose person doesn't see the folder `fld_secret`. */
const GUEST = { headers: { Authorization: 'Bearer guest' } }

let its: TestStatistics
beforeAll(async () => {
  its = await createTestStatistics()
  its.clock.ms = NOW
  const folder = (id: string, merged_into: string | null = null) => ({
    id,
    merged_into,
    workspace_no: 1,
    name: `The ${id}`,
    name_key: `the ${id}`,
    access: 'workspace' as const,
    created_at: 0,
    updated_at: 0,
    version: 1,
  })
  await its.storage.write(({ db }) =>
    db
      .insertInto('folders')
      .values([folder('fld_open'), folder('fld_secret'), folder('fld_old', 'fld_open')])
      .execute(),
  )
  // As many clicks as the number says, by one visitor.
  const links = [
    [await its.link(1, { tags: ['News', 'both'], folder: 'fld_open' }), 1],
    [await its.link(2, { tags: ['both'], folder: 'fld_old' }), 10],
    [await its.link(3, { tags: ['news', 'hidden'], folder: 'fld_secret' }), 100],
    [await its.link(4), 1_000],
    [await its.link(5, { tags: ['news'], folder: 'fld_open' }), 10_000],
  ] as const
  await its.removeLink(5)
  for (const [linkSeq, count] of links) {
    for (let n = 0; n < count; n++) {
      its.reports.add(click({ linkSeq, time: NOW - 1_000, n: linkSeq + n, visitor: 7n }))
    }
  }
})
afterAll(() => its.close())

interface Row {
  value: string | null
  name?: string | null
  clicks: number
  unique: number
}

async function list(path: string, init: object = {}) {
  const answer = await its.send('GET', `/api/v1/stats/${path}`, init)
  const { data, other } = (await answer.json()) as { data: Row[]; other: { clicks: number } }
  const rows = data.map(({ value, clicks, unique }) => [value, clicks, unique])
  return { data, rows, other: other.clicks }
}

/** As the merge of tags leaves them. */
const merge = (from: string, into: string) =>
  its.storage.write(async ({ db }) => {
    const { no, name } = await db
      .selectFrom('tags')
      .select(['no', 'name'])
      .where('key', '=', into)
      .executeTakeFirstOrThrow()
    const merged = { key: into, name, merged_into: no }
    await db.updateTable('tags').set(merged).where('key', '=', from).execute()
  })

test('folders are listed by their links now, with those merged into them', async () => {
  const { rows, data } = await list('folder')
  // Those of a deleted link and of a link without a folder are without one.
  expect(rows).toEqual([
    [null, 11_000, 1],
    ['fld_secret', 100, 1],
    ['fld_open', 11, 1],
  ])
  expect(data.map(({ name }) => name)).toEqual([null, 'The fld_secret', 'The fld_open'])
  expect(await list('folder?limit=2')).toMatchObject({ other: 11 })
  const filtered = await its.get<{ totals: Row }>('/stats?folder_id=fld_open')
  expect(filtered.totals.clicks).toBe(11)
})

test('a click counts for each tag of its link, under the name that filters by it', async () => {
  expect((await list('tag')).rows).toEqual([
    [null, 11_000, 1],
    ['News', 101, 1],
    ['hidden', 100, 1],
    ['both', 11, 1],
  ])
  expect((await list('tag?tag=both')).rows).toEqual([
    ['both', 11, 1],
    ['News', 1, 1],
  ])
  expect((await list('tag?limit=2')).other).toBe(111)
  const filtered = await its.get<{ totals: Row }>('/stats?tag=News')
  expect(filtered.totals.clicks).toBe(101)
})

test('what a person can’t see is not named, nor counted', async () => {
  expect((await list('folder', GUEST)).rows).toEqual([
    [null, 11_000, 1],
    ['fld_open', 11, 1],
  ])
  expect((await list('tag', GUEST)).rows).toEqual([
    [null, 11_000, 1],
    ['both', 11, 1],
    ['News', 1, 1],
  ])
})

test('one link has no tags and folders to list', async () => {
  for (const by of ['tag', 'folder']) {
    expect(await its.refusal(`/links/${linkId(1)}/stats/${by}`)).toEqual(['404 NOT_FOUND'])
  }
})

test('merged tags are one, and their links count once', async () => {
  await merge('both', 'news')
  expect((await list('tag')).rows).toEqual([
    [null, 11_000, 1],
    ['News', 111, 1],
    ['hidden', 100, 1],
  ])
})

test('with more links than are counted by their tags, the list is refused', async () => {
  const add = (count: number, tag: number) =>
    its.storage.write(({ db }) =>
      sql`WITH RECURSIVE n(seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM n WHERE seq < ${count})
        INSERT INTO link_tags (workspace_no, tag_no, link_seq) SELECT 1, ${tag}, 1000 + seq FROM n`.execute(
        db,
      ),
    )
  const { rows } = await sql<{ n: number }>`SELECT count(*) AS n FROM link_tags`.execute(
    its.storage.read.db,
  )
  await add(MEMBERS_MAX - (rows[0]?.n ?? 0), 1)
  expect((await its.send('GET', '/api/v1/stats/tag')).status).toBe(200)
  await add(1, 2)
  expect(await its.refusal('/stats/tag')).toEqual(['422 VALIDATION_FAILED', 'dimension: TOO_MANY'])
  expect((await its.send('GET', '/api/v1/stats/folder')).status).toBe(200)
})
