import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { seedLinks } from '../../bench/lib/seed.ts'
import { statisticsFile } from '../../src/statistics/process/index.ts'
import { postgresMissing, startPostgres, type TestPostgres } from '../harness/postgres.ts'
import { type Slugline, startSlugline } from '../harness/process.ts'
import { openFreed } from '../harness/statistics-file.ts'

const HOST = 'http://sho.rt'
const SEEDED = 2_500
/** Each moves an instance several times; `MOVE_RUNS=20` does so for longer. */
const RUNS = Number(Bun.env.MOVE_RUNS ?? 1)
/** Tables of moves and of nodes, and those with random values of a target. */
const OWN = ['moves', 'move_marks', 'move_writes', 'migrations', 'visitor_salts']

interface Moved {
  complete: boolean
  tables: { table: string; copied: number; source: { rows: number } }[]
}

/** A change of the instance; `pick` chooses among what there is. */
type Change = { what: (typeof CHANGES)[number]; pick: number }
const CHANGES = [
  'create',
  'edit',
  'delete',
  'restore',
  'rename tag',
  'delete tag',
  'revoke key',
  'workspace',
  'visit',
  'visit',
] as const

describe.skipIf(postgresMissing !== undefined)('a repeated move', () => {
  let postgres: TestPostgres
  let source: Slugline
  let key: string

  beforeAll(async () => {
    postgres = await startPostgres()
    source = await startSlugline({ DATABASE_URL: '', BASE_URL: HOST })
    ;({ key } = await source.createKey())
    await source.stop()
    seedLinks(source.dataDir, { workspaceNo: 1, links: SEEDED })
    await source.restart()
  })
  afterAll(async () => {
    await source?.dispose()
    await postgres?.dispose()
  })

  async function api(method: string, path: string, body?: object): Promise<Response> {
    const answer = await source.call(method, `/api/v1${path}`, {
      key,
      ...(body !== undefined && { body }),
    })
    if (answer.status >= 300) expect(await answer.text()).toBe('')
    return answer
  }
  async function listOf(path: string): Promise<{ id: string; slug: string }[]> {
    return ((await (await api('GET', path)).json()) as { data: { id: string; slug: string }[] })
      .data
  }

  const deleted: string[] = []
  let made = 0

  async function apply({ what, pick }: Change): Promise<void> {
    made++
    const of = <T>(list: readonly T[]) => list[pick % list.length] as T
    const link = async () => of(await listOf(`/links?limit=100&order=${pick % 2 ? 'asc' : 'desc'}`))
    if (what === 'create') {
      const body = { destination_url: `https://example.com/${made}`, tags: [`made${pick % 3}`] }
      await api('POST', '/links', body)
    } else if (what === 'edit') {
      await api('PATCH', `/links/${(await link()).id}`, {
        title: `"${made}", \\N`,
        tags: ['edited'],
      })
    } else if (what === 'delete') {
      const { id } = await link()
      await api('DELETE', `/links/${id}`)
      deleted.push(id)
    } else if (what === 'restore' && deleted.length > 0) {
      await api('POST', `/links/${deleted.pop()}/restore`)
    } else if (what === 'rename tag') {
      await api('PATCH', `/tags/${of(await listOf('/tags')).id}`, { name: `renamed${made}` })
    } else if (what === 'delete tag') {
      await api('DELETE', `/tags/${of(await listOf('/tags')).id}`)
    } else if (what === 'revoke key') {
      const other = await source.createKey()
      const list = await source.cli('keys', 'list', '--json')
      const keys = (JSON.parse(list.stdout) as { data: { id: string; prefix: string }[] }).data
      const { id } = keys.find(({ prefix }) => other.key.includes(prefix)) as { id: string }
      expect((await source.cli('keys', 'revoke', id)).status).toBe(0)
    } else if (what === 'workspace') {
      await source.createKey({ workspace: `w${made}` })
    } else if (what === 'visit') {
      const { slug } = await link()
      const headers = { host: 'sho.rt' }
      await Promise.all([0, 1, 2].map(() => source.call('GET', `/${slug}`, { headers })))
    }
  }

  async function move(to: string): Promise<Moved> {
    const { stdout, stderr } = await source.cli('move', '--to', to, '--json')
    expect(stderr).toBe('')
    const moved = JSON.parse(stdout) as Moved
    expect(moved.complete).toBe(true)
    return moved
  }

  /** A digest of each table of a target. */
  async function contentOf(to: string): Promise<Record<string, string>> {
    const database = new URL(to).pathname.slice(1)
    const tables = await postgres.admin(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace
       AND relkind = 'r' ORDER BY 1`,
      database,
    )
    const content: Record<string, string> = {}
    for (const { name } of tables) {
      if (OWN.includes(String(name))) continue
      // Each complete move names the feed anew.
      const where = name === 'instance' ? "WHERE name <> 'feed'" : ''
      const [row] = await postgres.admin(
        `SELECT count(*) || ' ' || coalesce(md5(string_agg(t::text, E'\\n' ORDER BY t::text)), '')
           AS digest FROM "${name}" t ${where}`,
        database,
      )
      content[String(name)] = String(row?.digest)
    }
    return content
  }

  /** Removes the clicks of a link, and makes totals, as maintenance does. */
  async function loseClicks(pick: number): Promise<void> {
    const database = await openFreed(statisticsFile(source.dataDir))
    const connection = await database.connect()
    await connection.run(`DELETE FROM clicks WHERE link % 7 = ${pick % 7}`)
    await connection.run(`INSERT INTO daily VALUES (1, 4294967297, ${made}, 0, 3, 2, 2)`)
    database.close()
  }

  test('has the same rows as a single one, after any changes in between', async () => {
    const change = fc.record({ what: fc.constantFrom(...CHANGES), pick: fc.nat(99) })
    const round = fc.array(change, { minLength: 8, maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(fc.array(round, { minLength: 3, maxLength: 3 }), async (rounds) => {
        const to = await postgres.createDatabase({ empty: true })
        for (const [i, changes] of rounds.entries()) {
          for (const one of changes) await apply(one)
          if (i === rounds.length - 1) break
          await move(to)
        }
        await source.stop()
        await loseClicks(rounds[0]?.[0]?.pick ?? 0)
        const { tables } = await move(to)
        const links = tables.find(({ table }) => table === 'links')
        expect(links?.source.rows).toBeGreaterThan(SEEDED / 2)
        expect(links?.copied).toBeLessThan(100)
        const once = await postgres.createDatabase({ empty: true })
        await move(once)
        expect(await contentOf(to)).toEqual(await contentOf(once))
        await source.restart()
      }),
      // The instance keeps the changes of a failed run: smaller ones mean nothing.
      { numRuns: RUNS, endOnFailure: true },
    )
  }, 600_000)

  test('into a target that others have written to is refused', async () => {
    const to = await postgres.createDatabase({ empty: true })
    await move(to)
    const database = new URL(to).pathname.slice(1)
    for (const table of ['links', 'clicks', 'instance']) {
      const before = await postgres.admin(`SELECT count(*)::int AS n FROM ${table}`, database)
      expect(before[0]?.n).toBeGreaterThan(0)
    }
    await postgres.admin(
      'UPDATE clicks SET kind = kind WHERE ctid = (SELECT max(ctid) FROM clicks)',
      database,
    )
    const refused = await source.cli('move', '--to', to, '--json')
    expect(refused.status).toBe(1)
    expect(JSON.parse(refused.stderr)).toMatchObject({ error: { code: 'TARGET_CHANGED' } })
  }, 120_000)
})
