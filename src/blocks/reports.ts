import type { Clock } from '../base/clock.ts'
import type { Domains } from '../domains/index.ts'
import { invalidValue, parseNamed } from '../links/index.ts'
import type { Storage, Transaction } from '../storage/index.ts'
import { formatTimestamp } from '../validation/timestamp.ts'
import type { Report } from './schemas.ts'

/** What visitors report. */
export type ReportService = ReturnType<typeof createReportService>

const SHOWN = 100

/** Makes the reports of an instance: one row for each address, whatever is sent. */
export function createReportService(deps: {
  storage: Storage
  clock: Clock
  domains: Pick<Domains, 'noOf' | 'hostOf'>
}) {
  const { storage, clock, domains } = deps
  return {
    /** Keeps what a visitor writes about an address. */
    async add(domain_no: number, slug_key: string, text: string): Promise<void> {
      const now = { text, reported_at: clock.now() }
      await storage.write(({ db }) =>
        db
          .insertInto('reports')
          .values({ domain_no, slug_key, times: 1, ...now })
          .onConflict((conflict) =>
            conflict
              .columns(['slug_key', 'domain_no'])
              .doUpdateSet((eb) => ({ times: eb('reports.times', '+', 1), ...now })),
          )
          .execute(),
      )
    },

    /** The addresses that were reported last. */
    async list(): Promise<Report[]> {
      const rows = await storage.read.db
        .selectFrom('reports')
        .selectAll()
        .orderBy('reported_at', 'desc')
        .limit(SHOWN)
        .execute()
      return rows.map(({ domain_no, slug_key, times, text, reported_at }) => ({
        address: `${domains.hostOf(domain_no)}/${slug_key}`,
        times,
        text,
        reported_at: formatTimestamp(reported_at),
      }))
    },

    /** Forgets what was reported of an address. @throws AppError VALIDATION_FAILED */
    async dismiss(tx: Transaction, text: string): Promise<void> {
      const named = parseNamed(text, domains)
      if (!('address' in named)) throw invalidValue('INVALID_SLUG')
      await dropReports(tx, named.address.domainNo, named.address.key)
    },
  }
}

/** Forgets what was reported of an address. */
export async function dropReports(tx: Transaction, domainNo: number, key: string): Promise<void> {
  await tx.db
    .deleteFrom('reports')
    .where('slug_key', '=', key)
    .where('domain_no', '=', domainNo)
    .execute()
}
