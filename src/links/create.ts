import { recordChange } from '../audit/index.ts'
import { DEFAULT_DOMAIN } from '../domains/index.ts'
import { SEQS_PER_WORKSPACE, type Transaction } from '../storage/index.ts'
import {
  type Address,
  type Addresses,
  claimSlug,
  claimUnusedSlug,
  placeAliases,
  type SlugTarget,
  storedAliases,
  targetOf,
} from './addresses.ts'
import {
  externalIdTaken,
  type LinkAsker,
  type LinkContext,
  linksLimit,
  slugTaken,
} from './context.ts'
import { createdAs, targetOfEntry } from './render.ts'
import { generateSlug } from './slug.ts'
import { insertLink, type Place, takePlace } from './store.ts'
import type { CreateFields, Link, LinkFields, LinkRow, Prepared, PreparedCreate } from './types.ts'

/** Does what takes long, before the transaction. */
export async function withHash<F extends LinkFields>(
  { hashPassword }: LinkContext,
  { password, ...fields }: F,
): Promise<Prepared<F>> {
  if (password === undefined) return fields
  return { ...fields, password_hash: password === null ? null : await hashPassword(password) }
}

/** See {@link withHash}. */
export function prepareCreate(ctx: LinkContext, fields: CreateFields): Promise<PreparedCreate> {
  return withHash(ctx, fields)
}

/**
 * Makes a link.
 * @throws AppError PLAN_LIMIT_REACHED, SLUG_TAKEN, VALIDATION_FAILED (EXTERNAL_ID_TAKEN)
 */
export async function create(
  ctx: LinkContext,
  tx: Transaction,
  { workspace, actor }: LinkAsker,
  fields: PreparedCreate,
): Promise<Link> {
  const now = ctx.clock.now()
  const { limits } = workspace.plan
  const place = await takePlace(tx, workspace.no, limits.links, now)
  if (place === null) throw linksLimit(limits.links)
  const row = newRow(ctx, workspace.no, place, fields)
  const target = targetOf(row)
  const addresses = await takeAddresses(ctx, tx, fields, target)
  row.slug = addresses.main.slug
  row.slug_key = addresses.main.key
  row.aliases = storedAliases(addresses)
  if (!(await insertLink(tx, row))) throw externalIdTaken()
  const entry = {
    workspaceNo: workspace.no,
    at: now,
    action: 'link.created' as const,
    target: targetOfEntry(row),
    before: {},
    after: createdAs(row, ctx.domains),
    version: row.version,
  }
  await recordChange(tx, actor, entry, place.entryNo)
  tx.afterCommit(ctx.changed)
  return ctx.render(row, undefined, now)
}

function newRow(
  { ids }: LinkContext,
  workspaceNo: number,
  { n, createdAt }: Place,
  fields: PreparedCreate,
): LinkRow {
  return {
    seq: workspaceNo * SEQS_PER_WORKSPACE + n,
    id: ids.next('lnk'),
    workspace_no: workspaceNo,
    domain_no: fields.domain ?? DEFAULT_DOMAIN,
    slug: '',
    slug_key: '',
    destination_url: fields.destination_url.given,
    target_url: fields.destination_url.target,
    title: fields.title ?? null,
    notes: fields.notes ?? null,
    tags: fields.tags === undefined ? '[]' : JSON.stringify(fields.tags.map(({ tag }) => tag)),
    aliases: '[]',
    external_id: fields.external_id ?? null,
    enabled: fields.enabled === false ? 0 : 1,
    blocked: 0,
    redirect_status: fields.redirect_status ?? 302,
    forward_query: fields.forward_query ? 1 : 0,
    starts_at: fields.starts_at ?? null,
    expires_at: fields.expires_at ?? null,
    max_clicks: fields.max_clicks ?? null,
    uses: 0,
    fallback_url: fields.fallback_url?.given ?? null,
    password_hash: fields.password_hash ?? null,
    created_at: createdAt,
    updated_at: createdAt,
    version: 1,
  }
}

/** Takes the slug that was asked for, or one that no link ever had; then the aliases. */
async function takeAddresses(
  ctx: LinkContext,
  tx: Transaction,
  fields: PreparedCreate,
  target: SlugTarget,
): Promise<Addresses> {
  const domainNo = fields.domain ?? DEFAULT_DOMAIN
  const main = await takeSlug(ctx, tx, fields, domainNo, target)
  const aliases = placeAliases(main, fields.aliases ?? [])
  for (const alias of aliases) {
    if (!(await claimSlug(tx, alias, target))) {
      throw await slugTaken(ctx, tx, alias, { alias: true })
    }
  }
  return { main, aliases }
}

async function takeSlug(
  ctx: LinkContext,
  tx: Transaction,
  fields: PreparedCreate,
  domainNo: number,
  target: SlugTarget,
): Promise<Address> {
  if (fields.slug !== undefined) {
    const { slug, key } = fields.slug
    const chosen = { slug, key, domainNo }
    if (await claimSlug(tx, chosen, target)) return chosen
    throw await slugTaken(ctx, tx, chosen, { alias: false })
  }
  for (let tries = 0; ; tries++) {
    const slug = generateSlug(ctx.random, tries)
    const generated = { slug, key: slug, domainNo }
    // An alias of the same request is not yet in the table.
    if (fields.aliases?.some(({ key }) => key === slug)) continue
    if (await claimUnusedSlug(tx, generated, target)) return generated
  }
}
