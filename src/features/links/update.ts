import type { IfMatch } from '../../http/callers.ts'
import { AppError, type ErrorDetail, invalid } from '../../lib/errors/index.ts'
import { isReserved } from '../../model/links/slug.ts'
import { BOUNDS } from '../../model/links/values.ts'
import { raiseRevision, type Transaction } from '../../platform/storage/index.ts'
import { recordChange } from '../audit/index.ts'
import {
  addressesAfter,
  addressesOf,
  allOf,
  assertUsable,
  changeAddresses,
  identity,
} from './addresses.ts'
import { externalIdTaken, type LinkContext, type LinkReader, type LinkWriter } from './context.ts'
import { create } from './create.ts'
import { eventObjectOf } from './event-object.ts'
import type { PreparedCreate, PreparedPatch } from './fields.ts'
import { findLinkByExternalId, findNamedLink, type LinkName } from './find.ts'
import { withGroups } from './groups.ts'
import { reserveQuota } from './quota.ts'
import type { Address, Addresses, LinkRow } from './row.ts'
import {
  changesOf,
  targetOf,
  targetOfEntry,
  withAddresses,
  withFields,
  withTagChanges,
  withUtmFields,
} from './rows.ts'
import type { Link } from './schemas.ts'
import { findCounters, insertLinks, updateLink } from './store.ts'
import { outsideFaults } from './within.ts'

/** The link to be changed by a request. @throws AppError LINK_NOT_FOUND, PRECONDITION_FAILED */
export async function linkToChange(
  tx: Transaction,
  caller: LinkReader,
  name: LinkName,
  ifMatch: IfMatch,
): Promise<LinkRow> {
  // Concurrent changes would overwrite each other's slugs and tags.
  await tx.lockWorkspace(caller.workspace.no)
  const row = await findNamedLink(tx, name, caller)
  if (row === undefined) throw new AppError('LINK_NOT_FOUND')
  if (!ifMatch(row.version)) throw new AppError('PRECONDITION_FAILED')
  return row
}

/**
 * Changes a link by a merge patch (RFC 7396). A patch without effect keeps the version.
 * @throws AppError LINK_NOT_FOUND, PRECONDITION_FAILED, SLUG_TAKEN, VALIDATION_FAILED,
 *   PLAN_LIMIT_REACHED
 */
export async function update(
  ctx: LinkContext,
  tx: Transaction,
  caller: LinkWriter,
  name: LinkName,
  patch: PreparedPatch,
  ifMatch: IfMatch,
): Promise<Link> {
  const row = await linkToChange(tx, caller, name, ifMatch)
  return change(ctx, tx, caller, { row, isDeleted: false }, patch, 'link.updated')
}

/**
 * Creates the link with an external id, or changes the existing one; absent fields stay.
 * @throws AppError PRECONDITION_FAILED, SLUG_TAKEN, PLAN_LIMIT_REACHED, VALIDATION_FAILED
 */
export async function upsert(
  ctx: LinkContext,
  tx: Transaction,
  caller: LinkWriter,
  externalId: string,
  fields: PreparedCreate,
  ifMatch: IfMatch,
): Promise<{ link: Link; isNew: boolean }> {
  const { no } = caller.workspace
  // Two concurrent requests would both create one, and the second would fail.
  await tx.lockWorkspace(no)
  const row = await findLinkByExternalId(tx, externalId, caller)
  const wanted = { ...fields, external_id: externalId }
  if (row === undefined) return { link: await create(ctx, tx, caller, wanted), isNew: true }
  if (!ifMatch(row.version)) throw new AppError('PRECONDITION_FAILED')
  const found = { row, isDeleted: false }
  return { link: await change(ctx, tx, caller, found, wanted, 'link.updated'), isNew: false }
}

/**
 * Makes the next version of a link, or of a deleted one, which is restored with all of its data.
 * @throws AppError SLUG_TAKEN, VALIDATION_FAILED, PLAN_LIMIT_REACHED
 */
export async function change(
  ctx: LinkContext,
  tx: Transaction,
  caller: LinkWriter,
  { row: before, isDeleted }: { row: LinkRow; isDeleted: boolean },
  given: PreparedPatch,
  action: 'link.updated' | 'link.restored',
): Promise<Link> {
  const { workspace, actor } = caller
  const now = ctx.clock.now()
  const patch = withUtmFields(ctx, withTagChanges(given, before), before.destination_url)
  const from = addressesOf(before, ctx.domains)
  const to = addressesAfter(from, patch, ctx.domains)
  const changed = { before, row: withFields(before, patch) }
  const [filled = changed.row] = await withGroups(ctx, tx, caller, [changed])
  const row = withAddresses(filled, to)
  const had = isDeleted ? [] : allOf(from)
  const faults = [
    ...faultsOf(row, to, patch),
    ...reservedFaults(had, to),
    ...outsideFaults(caller, row, to, allOf(from)),
  ]
  if (faults.length > 0) throw invalid(...faults)
  const names = Object.keys(row) as (keyof LinkRow)[]
  const isSame = names.every((name) => before[name] === row[name])
  if (isSame && !isDeleted) return rendered(ctx, before, now)
  if (before.max_clicks === null && row.max_clicks !== null) {
    ctx.assertCountersComplete()
    // Clicks that aren't counted yet are missing, once. From now on each use is counted exactly.
    row.uses = (await findCounters(ctx.storage.read, row.seq))?.human ?? 0
  }
  row.updated_at = Math.max(now, before.updated_at)
  row.version = before.version + 1

  await assertUsable(ctx, tx, workspace.no, allOf(to), had)
  const growth = { links: Number(isDeleted), addresses: allOf(to).length - had.length }
  if (growth.addresses !== 0) await reserveQuota(tx, workspace.no, growth, workspace.plan.limits)
  await changeAddresses(ctx, tx, had, to, targetOf(row))
  // The blocked prefixes may have changed.
  if (row.block !== null) await raiseRevision(tx, 'blocks')
  const isStored = isDeleted ? await insertLinks(tx, [row]) : await updateLink(tx, before, row)
  if (!isStored) throw externalIdTaken()
  if (isDeleted) await tx.db.deleteFrom('deleted_links').where('seq', '=', row.seq).execute()
  if (row.password_hash !== before.password_hash) {
    const { seq: link_seq, version } = row
    const replaced = { link_seq, version, password_hash: before.password_hash }
    await tx.db.insertInto('link_passwords').values(replaced).execute()
  }
  const link = await rendered(ctx, row, now)
  await recordChange(tx, actor, {
    workspaceNo: row.workspace_no,
    at: now,
    action,
    target: targetOfEntry(row),
    ...changesOf(before, row, ctx.domains),
    version: row.version,
    object: eventObjectOf(link),
  })
  tx.afterCommit(ctx.changed)
  if (row.imported_clicks !== (isDeleted ? 0 : before.imported_clicks)) {
    tx.afterCommit(() => ctx.countersOutdated(row.seq))
  }
  return link
}

/** With counters by a point read of another file, fast enough within a transaction. */
async function rendered({ storage, render }: LinkContext, row: LinkRow, now: number) {
  return render(row, await findCounters(storage.read, row.seq), now)
}

/** Faults that depend on the stored values as well as the patch. */
function faultsOf(after: LinkRow, to: Addresses, patch: PreparedPatch): ErrorDetail[] {
  const faults: ErrorDetail[] = []
  if (
    after.starts_at !== null &&
    after.expires_at !== null &&
    after.expires_at <= after.starts_at
  ) {
    const field = patch.expires_at === undefined ? 'starts_at' : 'expires_at'
    faults.push({ field, code: 'ENDS_BEFORE_START' })
  }
  if (to.aliases.length > BOUNDS.aliases) {
    const field = patch.slug === undefined ? 'domain' : 'slug'
    faults.push({ field, code: 'ALIASES_FULL', params: { max: BOUNDS.aliases } })
  }
  return faults
}

/** Reserved addresses that the link didn't have before. */
function reservedFaults(before: readonly Address[], after: Addresses): ErrorDetail[] {
  const had = new Set(before.map(identity))
  return allOf(after).flatMap((address, i) =>
    had.has(identity(address)) || !isReserved(address.slug, address.domainNo)
      ? []
      : [{ field: i === 0 ? 'slug' : `aliases[${i - 1}]`, code: 'SLUG_RESERVED' }],
  )
}
