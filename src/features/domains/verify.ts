import { AppError } from '../../lib/errors/index.ts'
import type { Transaction } from '../../platform/storage/index.ts'
import { type Actor, SYSTEM, type Writer } from '../audit/index.ts'
import { type DomainServiceDeps, record } from './context.ts'
import type { TxtAnswer } from './lookup.ts'
import { domainOf, GRACE_MS, recordOf } from './rows.ts'
import type { Domain } from './schemas.ts'
import {
  type DomainRow,
  findOwned,
  isTaken,
  listUnchecked,
  takeCheck,
  updateOwned,
} from './store.ts'

/** How often the record of a served host is looked up again. */
const CHECK_EVERY_MS = 6 * 3_600_000
/** The most lookups per run, made one after another. */
const CHECKS_AT_A_TIME = 20

/** Looks up a domain's TXT record, before the transaction. @throws AppError DOMAIN_NOT_FOUND */
export async function lookUp(
  deps: DomainServiceDeps,
  workspaceNo: number,
  id: string,
): Promise<TxtAnswer> {
  const row = await findOwned(deps.storage.read, workspaceNo, id)
  return deps.lookUpTxt(recordOf(row).name)
}

/**
 * Stores the result of a lookup. The first workspace that proves a host gets it.
 * @throws AppError DOMAIN_NOT_FOUND, DOMAIN_TAKEN
 */
export async function verify(
  deps: DomainServiceDeps,
  tx: Transaction,
  { workspace, actor }: Writer,
  id: string,
  { answer, links }: { answer: TxtAnswer; links: number },
): Promise<Domain> {
  await tx.lockWorkspace(workspace.no)
  await tx.lock('domains')
  const row = await findOwned(tx, workspace.no, id)
  return domainOf(await take(deps, tx, actor, row, answer), links)
}

async function take(
  { clock }: DomainServiceDeps,
  tx: Transaction,
  actor: Actor,
  before: DomainRow,
  { found, error }: TxtAnswer,
): Promise<DomainRow> {
  const now = clock.now()
  const after: DomainRow = { ...before, checked_at: now, lookup_error: error }
  if (error === null) {
    after.found = JSON.stringify(found)
    Object.assign(after, statusAfter(before, found.includes(recordOf(before).value), now))
  }
  if (before.status === 'pending' && after.status === 'active') {
    const isHeld = await isTaken(tx, before.host, { workspaceNo: null, exceptNo: before.no })
    if (isHeld) throw new AppError('DOMAIN_TAKEN')
  }
  await updateOwned(tx, before, after)
  if (before.status !== after.status) {
    const actions = { active: 'verified', failing: 'failing', pending: 'updated' } as const
    const action = `domain.${actions[after.status as keyof typeof actions]}` as const
    const [was, is] = [{ status: before.status }, { status: after.status }]
    await record(tx, actor, action, after, now, { before: was, after: is })
  }
  return after
}

/** The new status: a host is released when its record has been missing for the grace period. */
function statusAfter(
  { status, failing_since }: DomainRow,
  isProven: boolean,
  now: number,
): Pick<DomainRow, 'status' | 'failing_since'> {
  if (isProven) return { status: 'active', failing_since: null }
  if (status === 'pending') return { status, failing_since: null }
  const since = failing_since ?? now
  return now - since >= GRACE_MS
    ? { status: 'pending', failing_since: null }
    : { status: 'failing', failing_since: since }
}

/** Repeats the lookups made longest ago. Several nodes share the work. */
export async function recheck(deps: DomainServiceDeps): Promise<void> {
  const { storage, clock, domains, lookUpTxt } = deps
  const before = clock.now() - CHECK_EVERY_MS
  const due = await listUnchecked(storage.read, before, CHECKS_AT_A_TIME)
  for (const row of due) {
    const isMine = await storage.write((tx) => takeCheck(tx, row, clock.now()), {
      survives: 'process',
    })
    if (!isMine) continue
    const answer = await lookUpTxt(recordOf(row).name)
    await storage
      .write(async (tx) => {
        await tx.lockWorkspace(row.workspace_no)
        await tx.lock('domains')
        await take(deps, tx, SYSTEM, await findOwned(tx, row.workspace_no, row.id), answer)
      })
      .catch((error) => {
        // Deleted in the meantime.
        if (!(error instanceof AppError)) throw error
      })
  }
  if (due.length > 0) await domains.refresh()
}
