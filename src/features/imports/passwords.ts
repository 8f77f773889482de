import { StorageUnavailable } from '../../platform/storage/index.ts'
import type { Allowance } from '../jobs/index.ts'
import type { PreparedCreate } from '../links/index.ts'
import type { CheckedRecord } from './check.ts'
import { refusalOf } from './refusals.ts'
import type { Outcome, ReadyRecord } from './write.ts'

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
  /** Takes the allowance for hashes. */
  take(wanted: number): Promise<Allowance>
  hash(password: string): Promise<string>
}

/**
 * Records ready to be written: the first ones, up to one whose password may not be hashed yet. As
 * for single links, refused or skipped records must not cost a hash, so a trial without hashes comes
 * first.
 * @param hashes of passwords, so that each different one is hashed once
 */
export async function withHashes(
  checked: readonly CheckedRecord[],
  hashes: Map<string, string>,
  { rehearse, take, hash }: Hashing,
): Promise<{ records: ReadyRecord[]; waitMs: number }> {
  const records = checked.map(unhashed)
  if (!records.some(lacksHash)) return { records, waitMs: 0 }
  const outcomes = await rehearse(records)
  const passwordAt = (i: number) =>
    lacksHash(records[i] as ReadyRecord) && isWritten(outcomes[i] as Outcome)
      ? (checked[i]?.fields?.password as string)
      : undefined
  const passwords = records.flatMap((_, i) => passwordAt(i) ?? [])
  const unknown = [...new Set(passwords)].filter((password) => !hashes.has(password))
  const { count, waitMs } =
    unknown.length > 0 ? await take(unknown.length) : { count: 0, waitMs: 0 }
  for (const password of unknown.slice(0, count)) {
    hashes.set(password, await hash(password).catch(later))
  }
  for (const [i, record] of records.entries()) {
    const password = passwordAt(i)
    if (password === undefined) continue
    const made = hashes.get(password)
    if (made === undefined) return { records: records.slice(0, i), waitMs }
    records[i] = {
      ...record,
      fields: { ...(record.fields as PreparedCreate), password_hash: made },
    }
  }
  return { records, waitMs }
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
