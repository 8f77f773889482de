import { outsideOf, type View } from '../../lib/base/view.ts'
import type { ErrorDetail } from '../../lib/errors/index.ts'
import { identity } from './addresses.ts'
import type { Address, Addresses, LinkRow } from './row.ts'

/**
 * Faults of a link that would be outside of what the caller's key is restricted to. Addresses that it
 * had before may stay.
 */
export function outsideFaults(
  { allowed }: View,
  row: LinkRow,
  { main, aliases }: Addresses,
  had: readonly Address[] = [],
): ErrorDetail[] {
  if (allowed === undefined) return []
  const known = new Set(had.map(identity))
  return [
    ...outsideOf(allowed, { ...row, domain_no: main.domainNo }),
    ...aliases.flatMap((address, i) =>
      allowed.domains?.includes(address.domainNo) === false && !known.has(identity(address))
        ? [`aliases[${i}]`]
        : [],
    ),
  ].map((field) => ({ field, code: 'OUTSIDE_RESTRICTIONS' }))
}
