import { type Actor, recordObject } from '../audit/index.ts'
import type { Clock } from '../base/clock.ts'
import type { Ids } from '../base/ids.ts'
import type { Random } from '../base/random.ts'
import type { Cursors } from '../http/cursor.ts'
import type { Storage, Transaction } from '../storage/index.ts'
import type { Domains } from './index.ts'
import type { LookUpTxt } from './lookup.ts'
import type { DomainRow } from './store.ts'
export interface DomainServiceDeps {
  storage: Storage
  clock: Clock
  ids: Ids
  random: Random
  cursors: Cursors
  domains: Pick<Domains, 'refresh'>
  lookUpTxt: LookUpTxt
}

/** Records a change of a domain in its workspace's audit log. */
export function record(
  tx: Transaction,
  actor: Actor,
  action: `domain.${'created' | 'updated' | 'deleted' | 'verified' | 'failing'}`,
  { id, host, workspace_no: no }: DomainRow,
  at: number,
  fields: Parameters<typeof recordObject>[5],
): Promise<void> {
  return recordObject(tx, { workspace: { no }, actor }, action, { id, name: host }, at, fields)
}
