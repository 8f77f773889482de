import { afterAll, beforeAll, describe } from 'bun:test'
import { postgresMissing, sharedPostgres } from '../../../../test/harness/postgres.ts'
import { openPostgres, type Storage } from '../../../platform/storage/index.ts'
import { exportContract } from '../testing/export-contract.ts'
import { createPostgresReports } from './reports.ts'
import { store } from './testing/world.ts'

describe.skipIf(postgresMissing !== undefined)('exports from PostgreSQL', () => {
  let storage: Storage

  beforeAll(async () => {
    const server = await sharedPostgres()
    storage = await openPostgres({ url: await server.createDatabase(), poolSize: 5 })
  })
  afterAll(() => storage?.close())

  exportContract({
    reports: (facts) => createPostgresReports(storage, facts),
    store: (it) => store(storage, it),
  })
})
