import { CompiledQuery } from 'kysely'
import type { Storage } from '../../../storage/index.ts'
import { createReports } from '../../reports/index.ts'
import type { AskableReports } from '../../types.ts'
import { createExport } from '../shared/export.ts'
import { type Engine, type LinkFacts, NO_FACTS } from '../types.ts'
import { postgresDialect } from './dialect.ts'

/** Clicks of one query of an export: some megabytes. */
const EXPORT_PAGE = 5_000

/** Reports on the clicks in PostgreSQL. */
export function createPostgresReports(
  { reports }: Pick<Storage, 'reports'>,
  { facts = NO_FACTS }: { facts?: LinkFacts } = {},
): AskableReports {
  const query: Engine['query'] = async (sql, values, signal) => {
    // A query that runs already ends by the server's statement timeout.
    signal?.throwIfAborted()
    const { rows } = await reports.db.executeQuery<object>(CompiledQuery.raw(sql, [...values]))
    return rows.map((row) => Object.values(row))
  }
  const asked = { dialect: postgresDialect, query }
  return createReports(
    { ...asked, export: createExport({ ...asked, facts, pageSize: EXPORT_PAGE }) },
    { facts },
  )
}
