import { type Actor, recordChange } from '../audit/index.ts'
import { AppError, type ErrorDetail } from '../errors/index.ts'
import type { Transaction } from '../storage/index.ts'
import {
  type Addresses,
  addressesOf,
  changeAddresses,
  moveAddresses,
  placeAliases,
  storedAliases,
  targetOf,
} from './addresses.ts'
import {
  externalIdTaken,
  invalid,
  type LinkAsker,
  type LinkCaller,
  type LinkContext,
  slugTaken,
} from './context.ts'
import { keepPassword } from './deleted-store.ts'
import { changesOf, targetOfEntry } from './render.ts'
import { BOUNDS } from './rules.ts'
import { findCounters, findLink, updateLink } from './store.ts'
import type { Link, LinkRow, PreparedPatch } from './types.ts'

/** Whether a version may be changed, as the request's `If-Match` says. */
export type IfMatch = (version: number) => boolean

/**
 * The link that a request wants to change.
 * @throws AppError LINK_NOT_FOUND, PRECONDITION_FAILED
 */
export async function linkToChange(
  tx: Transaction,
  { workspace }: LinkCaller,
  id: string,
  ifMatch: IfMatch,
): Promise<LinkRow> {
  // Two concurrent changes would each overwrite the other's slugs and tags.
  await tx.lockWorkspace(workspace.no)
  const row = await findLink(tx, id, workspace.no)
  if (row === undefined) throw new AppError('LINK_NOT_FOUND')
  if (!ifMatch(row.version)) throw new AppError('PRECONDITION_FAILED')
  return row
}

/**
 * Changes a link by a merge patch (RFC 7396). A patch that changes nothing leaves the version.
 * @throws AppError LINK_NOT_FOUND, PRECONDITION_FAILED, SLUG_TAKEN, VALIDATION_FAILED
 */
export async function update(
  ctx: LinkContext,
  tx: Transaction,
  caller: LinkAsker,
  id: string,
  patch: PreparedPatch,
  ifMatch: IfMatch,
): Promise<Link> {
  const before = await linkToChange(tx, caller, id, ifMatch)
  return change(ctx, tx, caller, before, patch, 'link.updated')
}

/** See {@link update}; `action` is what the audit log calls it. */
export async function change(
  ctx: LinkContext,
  tx: Transaction,
  { actor }: LinkAsker,
  before: LinkRow,
  patch: PreparedPatch,
  action: 'link.updated' | 'link.restored',
): Promise<Link> {
  const now = ctx.clock.now()
  const { from, to, row, isChanged } = await nextVersion(ctx, before, patch, now)
  if (!isChanged) return ctx.render(before, await counters(ctx, before), now)
  const taken = await changeAddresses(tx, from, to, targetOf(row))
  if (taken !== null) throw await slugTaken(ctx, tx, taken, { alias: taken !== to.main })
  if (!(await updateLink(tx, before, row))) throw externalIdTaken()
  return recordVersion(ctx, tx, { actor, before, row, action, now })
}

/**
 * What a patch makes of a stored link: its next version.
 * @throws AppError VALIDATION_FAILED
 */
export async function nextVersion(
  ctx: Pick<LinkContext, 'peopleSoFar'>,
  before: LinkRow,
  patch: PreparedPatch,
  now: number,
) {
  const from = addressesOf(before)
  const to = addressesAfter(from, patch)
  const row = merge(before, to, patch)
  const faults = faultsOf(row, to, patch)
  if (faults.length > 0) throw invalid(...faults)
  const names = Object.keys(row) as (keyof LinkRow)[]
  const isChanged = names.some((name) => before[name] !== row[name])
  if (before.max_clicks === null && row.max_clicks !== null) {
    row.uses = await ctx.peopleSoFar(before.seq)
  }
  row.updated_at = Math.max(now, before.updated_at)
  row.version = before.version + 1
  return { from, to, row, isChanged }
}

/** Writes down that a link has a new version, which is stored already. Returns it rendered. */
export async function recordVersion(
  ctx: LinkContext,
  tx: Transaction,
  version: {
    actor: Actor
    before: LinkRow
    row: LinkRow
    action: 'link.updated' | 'link.restored'
    now: number
    /** The number of the audit entry, if it was taken already. */
    entryNo?: number
  },
): Promise<Link> {
  const { actor, before, row, action, now, entryNo } = version
  if (row.password_hash !== before.password_hash) {
    await keepPassword(tx, row.seq, row.version, before.password_hash)
  }
  const entry = {
    workspaceNo: row.workspace_no,
    at: now,
    action,
    target: targetOfEntry(row),
    ...changesOf(before, row, ctx.domains),
    version: row.version,
  }
  await recordChange(tx, actor, entry, entryNo)
  tx.afterCommit(ctx.changed)
  return ctx.render(row, await counters(ctx, row), now)
}

/** A point read of another file, so fast that no transaction waits for it. */
function counters({ storage }: LinkContext, { seq }: { seq: number }) {
  return findCounters(storage.read, seq)
}

function addressesAfter(from: Addresses, { slug, domain, aliases }: PreparedPatch): Addresses {
  const main = { ...from.main, ...slug, domainNo: domain ?? from.main.domainNo }
  if (aliases !== undefined) return { main, aliases: placeAliases(main, aliases) }
  return moveAddresses(from, main)
}

function merge(before: LinkRow, to: Addresses, patch: PreparedPatch): LinkRow {
  const { destination_url: destination, tags } = patch
  const flag = (value: boolean | undefined, otherwise: number) =>
    value === undefined ? otherwise : Number(value)
  return {
    ...before,
    domain_no: to.main.domainNo,
    slug: to.main.slug,
    slug_key: to.main.key,
    destination_url: destination?.given ?? before.destination_url,
    target_url: destination?.target ?? before.target_url,
    title: given(patch.title, before.title),
    notes: given(patch.notes, before.notes),
    tags: tags === undefined ? before.tags : JSON.stringify(tags.map(({ tag }) => tag)),
    aliases: storedAliases(to),
    external_id: given(patch.external_id, before.external_id),
    enabled: flag(patch.enabled, before.enabled),
    redirect_status: patch.redirect_status ?? before.redirect_status,
    forward_query: flag(patch.forward_query, before.forward_query),
    starts_at: given(patch.starts_at, before.starts_at),
    expires_at: given(patch.expires_at, before.expires_at),
    max_clicks: given(patch.max_clicks, before.max_clicks),
    fallback_url:
      patch.fallback_url === undefined ? before.fallback_url : (patch.fallback_url?.given ?? null),
    password_hash: given(patch.password_hash, before.password_hash),
  }
}

function given<T>(value: T | undefined, otherwise: T): T {
  return value === undefined ? otherwise : value
}

/** What only shows when the patch meets what is stored. */
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
