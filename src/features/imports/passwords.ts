import { StorageUnavailable } from '../../platform/storage/index.ts'
import type { PreparedCreate } from '../links/index.ts'
import type { CheckedRecord } from './check.ts'
import { type Outcome, type ReadyRecord, refusalOf } from './write.ts'

/** The record without its password, whose hash is added later. */
export function unhashed(record: CheckedRecord): ReadyRecord {
  const { fields } = record
  if (fields === null || fields.password === undefined) return { ...record, fields }
  const { password, ...others } = fields
  return { ...record, fields: { ...others, password_hash: password === null ? null : '' } }
}

/** The dependencies of {@link withHashes}. */
interface Hashing {
  rehearse(records: readonly ReadyRecord[]): Promise<Outcome[]>
  hash(password: string): Promise<string>
}

/**
 * Records ready to be written. As for single links, refused or skipped records must not cost a
 * hash, so a trial without hashes comes first.
 */
export async function withHashes(
  checked: readonly CheckedRecord[],
  { rehearse, hash }: Hashing,
): Promise<ReadyRecord[]> {
  const records = checked.map(unhashed)
  if (!records.some(lacksHash)) return records
  const hashes = new Map<string, string>()
  for (const [i, outcome] of (await rehearse(records)).entries()) {
    const each = records[i] as ReadyRecord & { fields: PreparedCreate }
    if (!lacksHash(each) || !isWritten(outcome)) continue
    const password = checked[i]?.fields?.password as string
    const made = hashes.get(password) ?? (await hash(password).catch(later))
    hashes.set(password, made)
    records[i] = { ...each, fields: { ...each.fields, password_hash: made } }
  }
  return records
}

/**
 * A record refused in the trial may be accepted now, because a conflicting link was deleted in the
 * meantime. It must not be written without its password, so the step is repeated.
 * @throws StorageUnavailable
 */
export function assertHashed(outcomes: readonly Outcome[]): void {
  if (outcomes.some((outcome) => lacksHash(outcome.record) && isWritten(outcome))) {
    throw new StorageUnavailable('Links have changed meanwhile')
  }
}

function lacksHash({ fields }: ReadyRecord): boolean {
  return fields?.password_hash === ''
}

function isWritten({ status }: Outcome): boolean {
  return status !== 'refused' && status !== 'skipped'
}

/** When too many hashes are queued, the step is repeated later. */
function later(error: unknown): never {
  throw refusalOf(error)
}
