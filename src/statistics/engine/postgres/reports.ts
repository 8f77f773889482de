import { CompiledQuery } from 'kysely'
import type { Storage } from '../../../storage/index.ts'
import { createReports, type ReportOptions } from '../../reports/index.ts'
import type { AskableReports } from '../../types.ts'
import { queriedPages } from '../shared/export.ts'
import type { Engine } from '../types.ts'
import { postgresDialect as dialect } from './dialect.ts'

/** Clicks of one query of an export: some megabytes. */
const EXPORT_PAGE = 5_000

/** Reports on the clicks in PostgreSQL. */
export function createPostgresReports(
  { reports }: Pick<Storage, 'reports'>,
  options?: ReportOptions,
): AskableReports {
  const query: Engine['query'] = async (sql, values, signal) => {
    signal?.throwIfAborted()
    const answer = reports.db.executeQuery<object>(CompiledQuery.raw(sql, [...values]))
    const { rows } = await (signal === undefined ? answer : unlessAborted(answer, signal))
    return rows.map((row) => Object.values(row))
  }
  const pages = queriedPages({ dialect, query }, EXPORT_PAGE)
  return createReports({ dialect, query, pages }, options)
}

/** Rejects when the signal aborts. The query itself ends by the server's statement timeout. */
async function unlessAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort)
  try {
    return await Promise.race([answer, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
