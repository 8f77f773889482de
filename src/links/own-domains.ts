import { AppError, invalid } from '../errors/index.ts'
import type { Transaction } from '../storage/index.ts'
import type { Address } from './addresses.ts'
import type { LinkContext } from './context.ts'

/**
 * Asserts, in the transaction, what the list in memory said of a workspace's own domains: it may be
 * half a second old. Addresses on shared domains cost nothing.
 * @param had addresses that the link has already, whose domain need not be verified any more
 * @throws AppError VALIDATION_FAILED (UNKNOWN_DOMAIN), DOMAIN_NOT_VERIFIED, SERVICE_UNAVAILABLE
 */
export async function assertUsable(
  { domains }: Pick<LinkContext, 'domains'>,
  tx: Transaction,
  workspaceNo: number,
  addresses: readonly Address[],
  had: readonly Address[] = [],
): Promise<void> {
  const all = [...addresses, ...had].map(({ domainNo }) => domainNo)
  const owned = new Set(all.filter((no) => !domains.isShared(no)))
  if (owned.size === 0) return
  const rows = await tx.db
    .selectFrom('domains')
    .select(['no', 'status', 'case_sensitive'])
    .where('no', 'in', [...owned])
    .where('workspace_no', '=', workspaceNo)
    .where('status', '<>', 'removed')
    .execute()
  for (const no of owned) {
    const row = rows.find((one) => one.no === no)
    if (row === undefined) throw invalid({ field: 'domain', code: 'UNKNOWN_DOMAIN' })
    if ((row.case_sensitive === 1) !== domains.isCaseSensitive(no)) {
      // Its slugs were just given other keys, on another node.
      throw new AppError('SERVICE_UNAVAILABLE', { headers: { 'Retry-After': '1' } })
    }
    const isNew = addresses.some(
      (each) =>
        each.domainNo === no &&
        !had.some((other) => other.domainNo === no && other.key === each.key),
    )
    if (isNew && row.status !== 'active') {
      throw new AppError('DOMAIN_NOT_VERIFIED', {
        details: [{ field: 'domain', code: 'DOMAIN_NOT_VERIFIED' }],
      })
    }
  }
}
