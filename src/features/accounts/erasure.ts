import type { Clock } from '../../lib/base/clock.ts'
import { createPause } from '../../lib/base/turn.ts'
import { emailKey } from '../../lib/validation/email.ts'
import {
  type AuditTable,
  SEQS_PER_WORKSPACE,
  type Storage,
  type Transaction,
} from '../../platform/storage/index.ts'

/** Entries of the audit log that are read at once: each may have more than 100 kB. */
const STEP = 200
/** The names of pending erasures in `instance`, before the id of the person. */
const PENDING = 'erase:'
/** Requests of the person that were being answered, and steps of their jobs, have ended by then. */
const SETTLED_MS = 300_000

/** What is to be replaced by the person's id. */
interface Erasure {
  emails: string[]
  /** When the account was deleted: a later account with the same address stays. */
  at: number
  /** Whether all entries were read once. */
  isRead: boolean
}

type Entry = Pick<AuditTable, 'seq' | (typeof COLUMNS)[number]>
const COLUMNS = [
  ...(['at', 'actor_id', 'actor_label', 'target_id', 'target_label'] as const),
  ...(['before', 'after'] as const),
] as const

type Deps = { storage: Pick<Storage, 'read' | 'reports' | 'write'>; clock: Clock }

/**
 * Has the addresses of a person whose account is being deleted replaced by their id wherever they are
 * kept: {@link eraseAddresses} does so.
 */
export async function requestErasure(
  tx: Transaction,
  { id, email }: { id: string; email: string },
  at: number,
): Promise<void> {
  const changes = await tx.db
    .selectFrom('audit')
    .select(['before', 'after'])
    .where('seq', '<', SEQS_PER_WORKSPACE)
    .where('target_id', '=', id)
    .where('action', 'like', 'account.email_change%')
    .execute()
  const others = changes.flatMap(({ before, after }) => [before, after].flatMap(emailIn))
  const erasure: Erasure = { emails: [...new Set([email, ...others])], at, isRead: false }
  const row = { name: PENDING + id, value: JSON.stringify(erasure) }
  await tx.db.insertInto('instance').values(row).execute()
  const appeals = tx.db.updateTable('appeals').set({ created_by: id })
  await appeals.where('created_by', 'in', erasure.emails).execute()
  await tx.db.updateTable('webhooks').set({ actor_label: id }).where('actor_id', '=', id).execute()
  await eraseInJobs(tx, id)
}

const emailIn = (json: string) => (JSON.parse(json) as { email?: string }).email ?? []

/** Jobs are kept for 30 days. */
async function eraseInJobs(tx: Transaction, id: string): Promise<void> {
  const own = await tx.db
    .selectFrom('jobs')
    .select(['id', 'actor'])
    .where('actor', 'like', `%"id":${JSON.stringify(id)}%`)
    .execute()
  for (const job of own) {
    const actor = JSON.stringify({ ...JSON.parse(job.actor), name: id })
    await tx.db.updateTable('jobs').set({ actor }).where('id', '=', job.id).execute()
  }
}

/**
 * Replaces the addresses of deleted accounts in the audit log by the ids of the people. Reads the whole
 * log in steps, twice: at once, and when requests that were under way have ended. Repeating it does no
 * harm, so that a stop in between needs no mark, and several nodes may do it at the same time.
 */
export async function eraseAddresses(deps: Deps): Promise<void> {
  const { storage, clock } = deps
  const pending = await storage.read.db
    .selectFrom('instance')
    .selectAll()
    .where('name', 'like', `${PENDING}%`)
    .execute()
  for (const { name, value } of pending) {
    const erasure = JSON.parse(value) as Erasure
    const isSettled = clock.now() >= erasure.at + SETTLED_MS
    if (erasure.isRead && !isSettled) continue
    await eraseIn(storage, name.slice(PENDING.length), erasure)
    await storage.write(async (tx) => {
      if (isSettled) return tx.db.deleteFrom('instance').where('name', '=', name).execute()
      const read = JSON.stringify({ ...erasure, isRead: true })
      return tx.db.updateTable('instance').set({ value: read }).where('name', '=', name).execute()
    })
  }
}

async function eraseIn(storage: Deps['storage'], id: string, erasure: Erasure): Promise<void> {
  const replaced = replacing(id, erasure)
  const pause = createPause()
  for (let last = 0; ; ) {
    const entries: Entry[] = await storage.reports.db
      .selectFrom('audit')
      .select(['seq', ...COLUMNS])
      .where('seq', '>', last)
      .orderBy('seq')
      .limit(STEP)
      .execute()
    const changed: Entry[] = []
    for (const entry of entries) {
      await pause()
      const erased = replaced(entry)
      if (erased !== undefined) changed.push(erased)
    }
    if (changed.length > 0) {
      await storage.write(async (tx) => {
        for (const { seq, ...values } of changed) {
          await tx.db.updateTable('audit').set(values).where('seq', '=', seq).execute()
        }
      })
    }
    if (entries.length < STEP) return
    last = entries.at(-1)?.seq ?? last
  }
}

/** Returns an entry with the id in place of addresses; undefined: it has none. */
function replacing(id: string, { emails, at }: Erasure) {
  const keys = new Set(emails.map(emailKey))
  const texts = emails.map((email) => JSON.stringify(email).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  const inJson = new RegExp(texts.join('|'), 'gi')
  const isTheirs = (text: string) => text.includes('@') && keys.has(emailKey(text))
  return (entry: Entry): Entry | undefined => {
    const isBefore = entry.at <= at
    const label = (text: string, of: string | null) =>
      of === id || (isBefore && isTheirs(text)) ? id : text
    const json = (text: string) => (isBefore ? text.replace(inJson, JSON.stringify(id)) : text)
    const erased = {
      ...entry,
      actor_label: label(entry.actor_label, entry.actor_id),
      target_label: label(entry.target_label, entry.target_id),
      before: json(entry.before),
      after: json(entry.after),
    }
    return COLUMNS.some((name) => erased[name] !== entry[name]) ? erased : undefined
  }
}
