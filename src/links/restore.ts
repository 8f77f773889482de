import type { Fields } from '../audit/index.ts'
import { AppError } from '../errors/index.ts'
import { validate } from '../http/index.ts'
import type { Transaction } from '../storage/index.ts'
import { allOf, claimSlugs, targetOf } from './addresses.ts'
import {
  externalIdTaken,
  type IfMatch,
  invalid,
  type LinkAsker,
  type LinkCaller,
  type LinkContext,
} from './context.ts'
import type { PreparedPatch } from './fields.ts'
import { linkOrDeleted, type WayBack, wayBack } from './history.ts'
import { passwordAt } from './remove.ts'
import { stateOf } from './rows.ts'
import type { Link } from './schemas.ts'
import { countPlace, insertLink, type LinkRow } from './store.ts'
import { change, nextVersion, recordVersion } from './update.ts'

/** A restore whose history was read before the transaction: it may be long. */
export type PreparedRestore = { version: number; way: WayBack } | null

/** @throws AppError LINK_NOT_FOUND, VALIDATION_FAILED where the history has no such version. */
export async function prepareRestore(
  ctx: LinkContext,
  caller: LinkCaller,
  id: string,
  version: number | undefined,
): Promise<PreparedRestore> {
  if (version === undefined) return null
  const { row } = await linkOrDeleted(ctx, ctx.storage.read, caller, id)
  if (version > row.version) throw noSuchVersion(1, row.version)
  const way = await wayBack(ctx.storage.read, row, row.version, version)
  if (way.reached !== version) throw noSuchVersion(way.reached, row.version)
  return { version, way }
}

function noSuchVersion(min: number, max: number): AppError {
  return invalid({ field: 'version', code: 'OUT_OF_RANGE', params: { min, max } })
}

/**
 * Brings a deleted link back with all that it had, or makes an earlier state of a link its newest
 * version, or both. What is so already stays as it is.
 * @throws AppError LINK_NOT_FOUND, PRECONDITION_FAILED, PLAN_LIMIT_REACHED, SLUG_TAKEN,
 *   VALIDATION_FAILED where that state isn't allowed any more
 */
export async function restore(
  ctx: LinkContext,
  tx: Transaction,
  asker: LinkAsker,
  id: string,
  prepared: PreparedRestore,
  ifMatch: IfMatch,
): Promise<Link> {
  await tx.lockWorkspace(asker.workspace.no)
  const { row, isDeleted } = await linkOrDeleted(ctx, tx, asker, id)
  if (!ifMatch(row.version)) throw new AppError('PRECONDITION_FAILED')
  const patch = prepared === null ? {} : await patchTo(ctx, tx, row, prepared)
  return isDeleted
    ? bringBack(ctx, tx, asker, row, patch)
    : change(ctx, tx, asker, row, patch, 'link.restored')
}

/** The patch that makes the earlier state of what a link is now, checked like any other. */
async function patchTo(
  ctx: LinkContext,
  tx: Transaction,
  row: LinkRow,
  { version, way }: NonNullable<PreparedRestore>,
): Promise<PreparedPatch> {
  // What changed since it was prepared; the older value of a field is the one that counts.
  const { fields } = await wayBack(tx, row, row.version, way.from)
  const body = differences(stateOf(row, ctx.domains), { ...fields, ...way.fields })
  // An object with a password would have to be hashed; a history has none.
  const { password: _, ...patch } = validate(ctx.patchSchema, body)
  const hash = await passwordAt(tx, row.seq, version)
  return hash === undefined ? patch : { ...patch, password_hash: hash }
}

const ADDRESS: readonly string[] = ['slug', 'aliases', 'domain']
const NOT_WRITABLE: readonly string[] = ['has_password', 'blocked', 'reason']

/** Only what differs: a destination that is blocked by now need not stand in the way of a title. */
function differences(now: Fields, then: Fields): Record<string, unknown> {
  const all = { ...now, ...then }
  const names = Object.keys(then).filter(
    (name) =>
      !NOT_WRITABLE.includes(name) && JSON.stringify(then[name]) !== JSON.stringify(now[name]),
  )
  const wanted = new Set(names)
  // They depend on one another: a slug that changes alone would leave an alias behind.
  if (Object.keys(then).some((name) => ADDRESS.includes(name))) {
    for (const name of ADDRESS) wanted.add(name)
  }
  return Object.fromEntries([...wanted].map((name) => [name, all[name]]))
}

async function bringBack(
  ctx: LinkContext,
  tx: Transaction,
  { workspace, actor }: LinkAsker,
  before: LinkRow,
  patch: PreparedPatch,
): Promise<Link> {
  const now = ctx.clock.now()
  const { to, row } = await nextVersion(ctx, before, patch, now)
  const { no, plan } = workspace
  const addresses = allOf(to)
  const growth = { links: 1, addresses: addresses.length, entries: 1 }
  const { entryNo } = await countPlace(tx, no, growth, plan.limits)
  await claimSlugs(ctx, tx, addresses, to.main, targetOf(row))
  if (!(await insertLink(tx, row))) throw externalIdTaken()
  await tx.db.deleteFrom('deleted_links').where('seq', '=', row.seq).execute()
  return recordVersion(ctx, tx, { actor, before, row, action: 'link.restored', now, entryNo })
}
