import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import {
  postgresMissing,
  sharedPostgres,
  type TestPostgres,
} from '../../../test/harness/postgres.ts'
import {
  databaseFiles,
  migrate,
  openSqlite,
  SEQS_PER_WORKSPACE,
  type SqliteConnection,
} from '../../platform/storage/index.ts'
import { isSame, type Moved } from './digest.ts'
import { openMarks } from './marks.ts'
import { compareTables, copyTables } from './rows.ts'
import { openTarget, type Target } from './target.ts'

/** Texts that are special in some format. */
const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom(
    '',
    '\\N',
    '\\.',
    'a\n\\.\nb',
    ',',
    '\t',
    '\r\n',
    '\\',
    "'",
    '"',
    '{}',
    'NULL',
    '\u{1f98a}',
    'a\0b',
  ),
)
/** Each compares all tables on both sides several times; `MOVE_RUNS=100` does so longer. */
const RUNS = Number(Bun.env.MOVE_RUNS ?? 5)
const NAMES = ['a', 'b', 'c', 'd']

describe.skipIf(postgresMissing !== undefined)('moved tables', () => {
  let postgres: TestPostgres
  let dir: string
  let main: SqliteConnection
  let counters: SqliteConnection
  let target: Target

  beforeAll(async () => {
    postgres = await sharedPostgres()
  })
  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'slugline-move-'))
    await migrate(dir)
    main = openSqlite(databaseFiles(dir).main)
    counters = openSqlite(databaseFiles(dir).counters)
    target = await openTarget(await postgres.createDatabase())
  })
  afterEach(async () => {
    await target.close()
    main.close()
    counters.close()
    rmSync(dir, { recursive: true, force: true })
  })

  async function move(rangeRows = 1_000): Promise<Moved[]> {
    const to = { target, marks: await openMarks(target), progress() {}, rangeRows }
    return await copyTables(await compareTables([main, counters], to), to)
  }

  const workspace = (no: number, name: string) =>
    main.raw
      .query(
        `INSERT INTO workspaces (no, id, name, name_key, plan_id, created_at)
         VALUES (?1, 'wsp_' || ?1, ?2, ?2, 'free', 1)`,
      )
      .run(no, name)
  const person = (id: string, email: string) =>
    main.raw
      .query(
        `INSERT INTO users (id, email, email_key, created_at, updated_at) VALUES (?1, ?2, ?2, 1, 1)`,
      )
      .run(id, email)
  const link = (n: number, externalId: string | null, title: string | null = null) =>
    main.raw
      .query(
        `INSERT INTO links (seq, id, workspace_no, domain_no, slug, slug_key, destination_url,
           target_url, title, tag_nos, aliases, external_id, enabled, redirect_status, forward_query,
           created_at, updated_at, version, search_text)
         VALUES (?1, 'lnk_' || ?1, 1, 0, 's', 's', 'https://a.example', 'https://a.example', ?2,
           '[]', '[]', ?3, 1, 302, 0, 1, 1, 1, '')`,
      )
      .run(SEQS_PER_WORKSPACE + n, title, externalId)

  test('have every text and number unchanged', async () => {
    workspace(1, 'w')
    const rows = fc.array(fc.tuple(fc.option(texts), texts, fc.double({ noNaN: true })), {
      maxLength: 30,
    })
    await fc.assert(
      fc.asyncProperty(rows, async (list) => {
        main.raw.run('DELETE FROM links')
        main.raw.run('DELETE FROM attempts')
        list.forEach(([title, externalId, used], n) => {
          link(n + 1, `${n} ${externalId}`, title)
          main.raw.query('INSERT INTO attempts VALUES (?, ?, ?, 1)').run(String(n), n, used)
        })
        const moved = await move()
        expect(moved.filter((table) => !isSame(table.source, table.target))).toEqual([])
        const found = await target.all<{ title: string | null; used: number }>(
          'SELECT title, used FROM links JOIN attempts ON at = (seq & 65535) - 1 ORDER BY seq',
        )
        expect(found.map(({ title }) => title)).toEqual(
          list.map(([title]) => title?.replaceAll('\0', '\uFFFD').toWellFormed() ?? null),
        )
        expect(found.map(({ used }) => used)).toEqual(list.map(([, , used]) => used || 0))
      }),
      { numRuns: RUNS, examples: [[[[null, '', Number.POSITIVE_INFINITY]]]] },
    )
  }, 600_000)

  test('follow all changes, including swapped unique values', async () => {
    const changes = fc.array(
      fc.oneof(
        fc.record({ what: fc.constant('names' as const), order: fc.shuffledSubarray(NAMES) }),
        fc.record({ what: fc.constant('emails' as const), order: fc.shuffledSubarray(NAMES) }),
        fc.record({ what: fc.constant('ids' as const), order: fc.shuffledSubarray(NAMES) }),
        fc.record({ what: fc.constant('slugs' as const), order: fc.shuffledSubarray(NAMES) }),
      ),
      { minLength: 1, maxLength: 6 },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(changes, { minLength: 1, maxLength: 3 }), async (rounds) => {
        for (const round of rounds) {
          for (const { what, order } of round) {
            if (what === 'ids') {
              main.raw.run('DELETE FROM links')
              order.forEach((name, n) => {
                link(n + 1, name)
              })
            } else if (what === 'slugs') {
              main.raw.run('DELETE FROM slugs')
              order.forEach((name, n) => {
                main.raw
                  .query(
                    "INSERT INTO slugs VALUES (?1, 0, 1, ?2, ?1, 'https://a.example', 302, 0, NULL)",
                  )
                  .run(name, n)
              })
            } else {
              // Existing rows keep their numbers and swap names; some are deleted.
              main.raw.run('DELETE FROM members')
              main.raw.run(`DELETE FROM ${what === 'names' ? 'workspaces' : 'users'}`)
              order.forEach((name, n) => {
                if (what === 'names') workspace(n + 1, name)
                else person(`usr_${n}`, name)
              })
              main.raw.run(
                "INSERT INTO members SELECT no, users.id, 'owner', 1 FROM workspaces, users",
              )
            }
          }
          const moved = await move()
          expect(moved.filter((table) => !isSame(table.source, table.target))).toEqual([])
        }
        const again = await move()
        expect(again.reduce((sum, { copied }) => sum + copied, 0)).toBe(0)
      }),
      { numRuns: RUNS },
    )
  }, 600_000)

  test('that refer to a replaced table are copied again, though they are unchanged', async () => {
    workspace(1, 'w')
    person('usr_1', 'a@example.com')
    person('usr_2', 'b@example.com')
    main.raw.run("INSERT INTO members SELECT 1, id, 'owner', 1 FROM users")
    await move()
    // Unique values that are swapped: rows with references can't be deleted first.
    main.raw.run('UPDATE users SET email_key = id')
    main.raw.run("UPDATE users SET email_key = iif(id = 'usr_1', 'b', 'a') || '@example.com'")
    const moved = await move()
    expect(moved.filter((table) => !isSame(table.source, table.target))).toEqual([])
    expect(await target.all('SELECT FROM members')).toHaveLength(2)
  }, 60_000)

  test('are those of the source after any changes, of which only the changed rows are copied', async () => {
    // Numbers and texts whose orders differ, also as UTF-8 and UTF-16.
    const numbers = fc.oneof(fc.integer({ min: 1, max: 1_500 }), fc.constant(4_294_967_297))
    const names = fc.oneof(
      fc.constantFrom('a', 'B', 'ab', 'ä', 'z', '\u{ff5e}', '\u{1f98a}', "'"),
      fc.string({ maxLength: 2 }),
    )
    const change = fc.record({ name: names, number: numbers, value: fc.nat(1), keep: fc.boolean() })
    const round = fc.array(change, { maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(fc.array(round, { minLength: 2, maxLength: 4 }), async (rounds) => {
        for (const changes of rounds) {
          for (const { name, number, value, keep } of changes) {
            const clean = name.replaceAll('\0', '')
            main.raw.run('DELETE FROM link_tags WHERE tag_no = ? AND link_seq = ?', [value, number])
            main.raw.run('DELETE FROM slugs WHERE slug_key = ?1 OR link_seq = ?2', [clean, number])
            if (!keep) continue
            main.raw.run('INSERT INTO link_tags VALUES (1, ?, ?)', [value, number])
            main.raw.run(
              "INSERT INTO slugs VALUES (?1, 0, 1, ?2, ?1, 'https://a.example', 302, ?3, NULL)",
              [clean, number, value],
            )
          }
          await assertMovedRows()
        }
      }),
      { numRuns: RUNS },
    )
    async function assertMovedRows(): Promise<void> {
      const moved = await move(3)
      expect(moved.filter((table) => !isSame(table.source, table.target))).toEqual([])
      for (const name of ['link_tags', 'slugs']) {
        const rows = main.raw.query(`SELECT * FROM ${name}`).all()
        const there = await target.all<object>(`SELECT row_to_json(${name}) AS row FROM ${name}`)
        const sorted = (list: unknown[]) => list.map((row) => JSON.stringify(row)).sort()
        expect(sorted(there.map((found) => (found as { row: unknown }).row))).toEqual(sorted(rows))
        expect(moved.find(({ table }) => table === name)?.source.rows).toBe(rows.length)
      }
    }
  }, 600_000)

  test('of thousands of rows copy the changed ones only', async () => {
    workspace(1, 'w')
    main.raw.run('BEGIN')
    for (let n = 1; n <= 5_000; n++) link(n, `x${n}`)
    main.raw.run('COMMIT')
    await move(10)
    const copied = async () =>
      (await move(10)).filter((table) => table.copied > 0).map((t) => [t.table, t.copied])
    main.raw.run(`UPDATE links SET title = 'new' WHERE seq % 1000 = 7`)
    main.raw.run(`DELETE FROM links WHERE seq % 1000 = 9`)
    link(6_000, 'x713')
    // A unique value that moves from one row to another.
    main.raw.run(`UPDATE links SET external_id = NULL WHERE external_id = 'x4000'`)
    main.raw.run(`UPDATE links SET external_id = 'x4000' WHERE external_id = 'x2'`)
    main.raw.run(`UPDATE workspaces SET links_made = 6000`)
    const changed = main.raw.query('SELECT changes() AS n').get()
    expect(changed).toEqual({ n: 1 })
    expect(await copied()).toEqual([
      ['workspaces', 1],
      ['links', 8],
    ])
    expect(await copied()).toEqual([])
  }, 60_000)

  test('that the target stores differently are reported', async () => {
    for (let n = 1; n <= 30; n++) link(n, `x${n}`)
    await move(10)
    await target.all(
      `CREATE FUNCTION other() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN NEW.title := 'other'; RETURN NEW; END $$`,
    )
    await target.all(
      'CREATE TRIGGER other BEFORE INSERT ON links FOR EACH ROW EXECUTE FUNCTION other()',
    )
    main.raw.run(`UPDATE links SET title = 'new' WHERE seq % 10 = 7`)
    const differing = async () => (await move(10)).filter((t) => !isSame(t.source, t.target))
    expect((await differing()).map(({ table }) => table)).toEqual(['links'])
    await target.all('DROP TRIGGER other ON links')
    expect(await differing()).toEqual([])
  }, 60_000)

  test('written by others are refused', async () => {
    workspace(1, 'w')
    person('usr_1', 'a@example.com')
    await move()
    const marks = await openMarks(target)
    await marks.assertOurs([])
    const writes = [
      "UPDATE users SET name = 'other'",
      'DELETE FROM users',
      "INSERT INTO tags VALUES (1, 1, 'tag_1', 'a', 'a', 'a', 'blue', NULL, 1, 1, 1)",
    ]
    for (const write of writes) {
      await target.all('BEGIN')
      await target.all(write)
      await expect(marks.assertOurs([])).rejects.toMatchObject({ code: 'TARGET_CHANGED' })
      await target.all('ROLLBACK')
    }
    await marks.assertOurs([])
    main.raw.run("UPDATE users SET name = 'own'")
    await move()
    await marks.assertOurs([])
  }, 60_000)

  test('are all tables of both databases', async () => {
    const moved = await move()
    const there = await target.all<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace
       AND relkind IN ('r', 'p') AND NOT relispartition`,
    )
    const others = there
      .map(({ name }) => name)
      .filter((name) => !moved.some((t) => t.table === name))
    // Tables of nodes only, tables moved in other ways, and metadata.
    expect(others.sort()).toEqual([
      'click_shipping',
      'click_sums',
      'clicks',
      'daily',
      'gone_links',
      'instance_secret',
      'leases',
      'link_changes',
      'migrations',
      'move_marks',
      'move_writes',
      'node_watermarks',
      'nodes',
      'numbers',
      'summed_days',
      'visitor_salts',
    ])
  })
})
