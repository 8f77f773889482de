import type { ServiceContext } from '../../http/service-context.ts'
import type { Random } from '../../lib/base/random.ts'
import type { Domains } from '../../model/domains/index.ts'
import type { Transaction } from '../../platform/storage/index.ts'
import { type Actor, type Change, recordObject } from '../audit/index.ts'
import type { LookUpTxt } from './lookup.ts'
import { domainOf } from './rows.ts'
import type { DomainRow } from './store.ts'

/** Dependencies of the domains service. */
export interface DomainServiceDeps extends ServiceContext {
  random: Random
  domains: Pick<Domains, 'refresh'>
  lookUpTxt: LookUpTxt
}

/** Records a change of a domain in its workspace's audit log. */
export function record(
  tx: Transaction,
  actor: Actor,
  action: `domain.${'created' | 'updated' | 'deleted' | 'verified' | 'failing'}`,
  row: DomainRow,
  at: number,
  fields: Pick<Change, 'before' | 'after'>,
): Promise<void> {
  const { id, host, workspace_no: no } = row
  // Without the number of its links, which changes without an event.
  const { links: _, ...object } = domainOf(row, 0)
  const change = { ...fields, object }
  return recordObject(tx, { workspace: { no }, actor }, action, { id, name: host }, at, change)
}
