import { afterAll, beforeAll, describe } from 'bun:test'
import {
  pgbouncerMissing,
  startPgBouncer,
  type TestPgBouncer,
} from '../../../../test/harness/pgbouncer.ts'
import { postgresMissing, sharedPostgres } from '../../../../test/harness/postgres.ts'
import { openPostgres, type Storage } from '../../../storage/index.ts'
import { reportsContract } from '../../reports/testing/contract.ts'
import type { AskableReports } from '../../types.ts'
import { createPostgresReports } from './reports.ts'
import { store } from './testing/world.ts'

const minutes = Number(process.env.PROPERTY_MINUTES ?? 0)

describe.skipIf(postgresMissing !== undefined)('reports on PostgreSQL', () => {
  let storage: Storage
  let reports: AskableReports

  beforeAll(async () => {
    const server = await sharedPostgres()
    storage = await openPostgres({ url: await server.createDatabase(), poolSize: 5 })
    reports = createPostgresReports(storage)
  })
  afterAll(async () => {
    await storage?.close()
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
    reports = createPostgresReports(storage)
  })
  afterAll(async () => {
    await storage?.close()
    await pgbouncer?.dispose()
  })

  reportsContract({ reports: () => reports, store: (it) => store(storage, it), runs: 3 })
})
