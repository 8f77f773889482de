import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { postgresMissing, sharedPostgres, type TestPostgres } from '../../test/harness/postgres.ts'
import { openPostgres, SEQS_PER_WORKSPACE, type Storage } from '../storage/index.ts'
import { linkFactsIn } from './link-facts.ts'

const LINKS = 25_003

describe.skipIf(postgresMissing !== undefined)('facts of links on PostgreSQL', () => {
  let server: TestPostgres
  let storage: Storage

  beforeAll(async () => {
    server = await sharedPostgres()
    const url = await server.createDatabase()
    storage = await openPostgres({ url })
    await server.admin(
      `INSERT INTO link_tags (workspace_no, tag_key, link_seq)
       SELECT w, tag, w * ${SEQS_PER_WORKSPACE}::bigint + n
       FROM generate_series(1, 2) w, generate_series(${LINKS}, 1, -1) n,
         LATERAL (VALUES ('all'), (CASE n % 2 WHEN 0 THEN 'even' ELSE 'odd' END)) t (tag)`,
      new URL(url).pathname.slice(1),
    )
  })
  afterAll(() => storage?.close())

  test('all that have the tags are found, however many', async () => {
    const { tagged } = linkFactsIn(() => storage.reports)
    const numbers = async (...tags: string[]) =>
      (await tagged(1, tags)).map((seq) => seq - SEQS_PER_WORKSPACE)
    const all = Array.from({ length: LINKS }, (_, i) => i + 1)
    expect(await numbers('all')).toEqual(all)
    expect(await numbers('all', 'even')).toEqual(all.filter((n) => n % 2 === 0))
    expect(await numbers('even', 'odd')).toEqual([])
    expect(await numbers('none')).toEqual([])
  })
})
