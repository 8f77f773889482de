import { addressKey } from '../../lib/base/client-address.ts'
import type { Clock } from '../../lib/base/clock.ts'
import type { Limiter } from '../../platform/limits/index.ts'
import type { Storage } from '../../platform/storage/index.ts'
import type { RedirectDeps } from '../../redirect/index.ts'

/** Reports per address (IPv6: /64): a burst of five, then one every ten minutes. */
const REPORTS = { ratePerMinute: 0.1, burst: 5 }

interface ReportDeps {
  storage: Pick<Storage, 'write'>
  clock: Clock
}

/** Stores the reports of visitors, rate-limited per address. */
export function limitReports(
  deps: ReportDeps,
  limiter: Pick<Limiter, 'take'>,
): RedirectDeps['report'] {
  return async ({ domainNo, slugKey, text, from }) => {
    const { allowed, retryAfterMs } = await limiter.take(
      addressKey(from),
      REPORTS,
      deps.clock.now(),
    )
    if (allowed) await addReport(deps, domainNo, slugKey, text)
    return { allowed, retryAfterSeconds: Math.max(1, Math.ceil(retryAfterMs / 1000)) }
  }
}

/** Stores a visitor's report: one row per reported address, whatever is sent. */
export async function addReport(
  { storage, clock }: ReportDeps,
  domain_no: number,
  slug_key: string,
  text: string,
): Promise<void> {
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
}
