import { sql } from 'kysely'
import { AppError } from '../../lib/errors/index.ts'
import { prepare, type Transaction } from '../../platform/storage/index.ts'

/** A plan's limits of links, and of their slugs and aliases together; null: unlimited. */
export interface LinkLimits {
  readonly links: number | null
  readonly addresses: number | null
}

/** A change of a workspace's counts; `made` new links and their audit entries get numbers. */
interface QuotaChange {
  links: number
  addresses: number
  made?: number
  now?: number
  /** Whether one of them was created elsewhere, at another time. */
  unordered?: boolean
}

/** The last new link's numbers, and the latest creation time of a link. */
export interface LinkNumbers {
  n: number
  latest: number
  entryNo: number
  /** How the workspace generates slugs, as stored. */
  slugSettings: string | null
  eventNo: number
}

/** A clock that steps back further was wrong before. */
export const CLOCK_STEP_MS = 300_000

const count = prepare<
  Required<Omit<QuotaChange, 'unordered'>> & {
    /** 0 or 1. */
    unordered: number
    workspaceNo: number
    linksMax: number
    addressesMax: number
  },
  LinkNumbers
>((db, p) =>
  db
    .updateTable('workspaces')
    .set((eb) => ({
      links_count: eb('links_count', '+', p.links),
      addresses_count: eb('addresses_count', '+', p.addresses),
      links_made: eb('links_made', '+', p.made),
      audit_made: eb('audit_made', '+', p.made),
      events_made: eb('events_made', '+', p.made),
      links_unordered: sql<0 | 1>`CASE WHEN ${p.made} > 0
        AND (${p.unordered} > 0 OR last_link_at - ${p.now} > ${sql.lit(CLOCK_STEP_MS)}) THEN 1 ELSE links_unordered END`,
      last_link_at: sql<number>`CASE WHEN last_link_at > ${p.now} THEN last_link_at ELSE ${p.now} END`,
    }))
    .where('no', '=', p.workspaceNo)
    .where('links_count', '<=', p.linksMax)
    .where('addresses_count', '<=', p.addressesMax)
    .returning([
      'links_made as n',
      'last_link_at as latest',
      'audit_made as entryNo',
      'events_made as eventNo',
      'slug_settings as slugSettings',
    ]),
)

/**
 * Counts links and addresses of a workspace. The plan limits only growth: after a change of the
 * plan there may be too many, and some can still be removed.
 * @throws AppError PLAN_LIMIT_REACHED
 */
export async function reserveQuota(
  tx: Transaction,
  workspaceNo: number,
  change: QuotaChange,
  limits: LinkLimits = { links: null, addresses: null },
): Promise<LinkNumbers> {
  const most = (limit: number | null, added: number) =>
    limit === null || added <= 0 ? Number.MAX_SAFE_INTEGER : limit - added
  const linksMax = most(limits.links, change.links)
  const addressesMax = most(limits.addresses, change.addresses)
  const unordered = Number(change.unordered ?? false)
  const all = { made: 0, now: 0, ...change, unordered, workspaceNo, linksMax, addressesMax }
  const [numbers] = await tx.run(count, all)
  if (numbers !== undefined) return numbers
  const { links_count } = await tx.db
    .selectFrom('workspaces')
    .select('links_count')
    .where('no', '=', workspaceNo)
    .executeTakeFirstOrThrow()
  throw new AppError('PLAN_LIMIT_REACHED', {
    details: [
      links_count > linksMax
        ? { field: 'links', code: 'LINKS_LIMIT', params: { limit: limits.links ?? 0 } }
        : { field: 'addresses', code: 'ADDRESSES_LIMIT', params: { limit: limits.addresses ?? 0 } },
    ],
  })
}
