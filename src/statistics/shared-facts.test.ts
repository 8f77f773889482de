import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { postgresMissing, sharedPostgres, type TestPostgres } from '../../test/harness/postgres.ts'
import { openPostgres, SEQS_PER_WORKSPACE, type Storage } from '../platform/storage/index.ts'
import { linkFactsIn } from './store.ts'

const LINKS = 25_003

describe.skipIf(postgresMissing !== undefined)('facts of links on PostgreSQL', () => {
  let server: TestPostgres
  let storage: Storage

  beforeAll(async () => {
    server = await sharedPostgres()
    const url = await server.createDatabase()
    storage = await openPostgres({ url })
    await server.admin(
      `INSERT INTO link_tags (workspace_no, tag_no, link_seq)
       SELECT w, tag, w * ${SEQS_PER_WORKSPACE}::bigint + n
       FROM generate_series(1, 2) w, generate_series(${LINKS}, 1, -1) n,
         LATERAL (VALUES (1), (CASE n % 2 WHEN 0 THEN 2 ELSE 3 END)) t (tag)`,
      new URL(url).pathname.slice(1),
    )
    // `every` was merged into `all`.
    await server.admin(
      `INSERT INTO tags (workspace_no, no, id, key, name, search_text, colour, merged_into,
         created_at, updated_at, version)
       SELECT w, no, w || '-' || no, key, key, key, 'red', merged, 0, 0, 1
       FROM generate_series(1, 2) w, LATERAL (VALUES (1, 'all', NULL), (2, 'even', NULL),
         (3, 'odd', NULL), (4, 'all', 1)) t (no, key, merged)`,
      new URL(url).pathname.slice(1),
    )
  })
  afterAll(() => storage?.close())

  test('all links with the tags are found, however many', async () => {
    const { grouped } = linkFactsIn(() => storage.reports)
    const numbers = async (...tags: string[]) =>
      (await grouped(1, { tags, folder: null })).map((seq) => seq - SEQS_PER_WORKSPACE)
    const all = Array.from({ length: LINKS }, (_, i) => i + 1)
    expect(await numbers('all')).toEqual(all)
    expect(await numbers('all', 'even')).toEqual(all.filter((n) => n % 2 === 0))
    expect(await numbers('even', 'odd')).toEqual([])
    expect(await numbers('none')).toEqual([])
  })
})
