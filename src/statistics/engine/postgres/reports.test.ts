import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { eventually } from '../../../../test/harness/eventually.ts'
import {
  pgbouncerMissing,
  startPgBouncer,
  type TestPgBouncer,
} from '../../../../test/harness/pgbouncer.ts'
import { postgresMissing, sharedPostgres } from '../../../../test/harness/postgres.ts'
import { openPostgres, type Storage } from '../../../platform/storage/index.ts'
import { FACTS, reportsContract } from '../../reports/testing/contract.ts'
import { totalsOf } from '../../reports/testing/world.ts'
import type { AskableReports, Selection } from '../../types.ts'
import { createPostgresReports } from './reports.ts'
import { store } from './testing/world.ts'

const EVERYTHING: Selection = {
  workspaceNo: 1,
  linkSeq: null,
  linkSeqs: null,
  from: 0,
  to: Number.MAX_SAFE_INTEGER,
  filters: [],
  bots: 'include',
  offsets: [],
}

const minutes = Number(process.env.PROPERTY_MINUTES ?? 0)

describe.skipIf(postgresMissing !== undefined)('reports on PostgreSQL', () => {
  let storage: Storage
  let reports: AskableReports

  beforeAll(async () => {
    const server = await sharedPostgres()
    storage = await openPostgres({ url: await server.createDatabase(), poolSize: 5 })
    reports = createPostgresReports(storage, FACTS)
  })
  afterAll(async () => {
    await storage?.close()
  })

  test('a question is over when its signal aborts', async () => {
    const leaving = new AbortController()
    await storage.write(async (tx) => {
      await sql`LOCK TABLE clicks IN ACCESS EXCLUSIVE MODE`.execute(tx.db)
      const asked = totalsOf(reports.until(leaving.signal), EVERYTHING)
      await eventually('the query waits for the table', async () => {
        const { rows } = await sql`SELECT 1 FROM pg_locks WHERE NOT granted
          AND relation = 'clicks'::regclass`.execute(tx.db)
        return rows[0]
      })
      leaving.abort(new Error('left'))
      await expect(asked).rejects.toThrow('left')
    })
  })

  reportsContract({ reports: () => reports, store: (it) => store(storage, it), runs: 10, minutes })
})

const missing = postgresMissing ?? pgbouncerMissing

describe.skipIf(missing !== undefined)('reports through PgBouncer in transaction mode', () => {
  let pgbouncer: TestPgBouncer
  let storage: Storage
  let reports: AskableReports

  beforeAll(async () => {
    const server = await sharedPostgres()
    pgbouncer = await startPgBouncer(await server.createDatabase())
    const { url } = pgbouncer
    storage = await openPostgres({ url, poolSize: 5, reportMemoryMb: 32 })
    reports = createPostgresReports(storage, FACTS)
  })
  afterAll(async () => {
    await storage?.close()
    await pgbouncer?.dispose()
  })

  reportsContract({ reports: () => reports, store: (it) => store(storage, it), runs: 3 })
})
