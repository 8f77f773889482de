import { recordChange } from '../audit/index.ts'
import { DEFAULT_DOMAIN } from '../domains/index.ts'
import { SEQS_PER_WORKSPACE, type Transaction } from '../storage/index.ts'
import {
  type Address,
  claimSlug,
  claimSlugs,
  placeAliases,
  type SlugTarget,
  targetOf,
} from './addresses.ts'
import { externalIdTaken, type LinkAsker, type LinkContext } from './context.ts'
import type { PatchFields, Prepared, PreparedCreate } from './fields.ts'
import { changesOf, targetOfEntry, withAddresses, withFields } from './rows.ts'
import type { Link } from './schemas.ts'
import { generateSlug } from './slug.ts'
import { BLANK, countPlace, insertLink, type LinkRow } from './store.ts'

/**
 * Hashes the password of a creation or a patch. Hashing takes a core tens of milliseconds, so a
 * request that will be refused must not get that far: `write` runs first in a transaction that is
 * undone.
 * @throws AppError what `write` throws
 */
export async function prepareWrite<F extends PatchFields>(
  ctx: LinkContext,
  asker: LinkAsker,
  { password, ...fields }: F,
  write: (tx: Transaction, prepared: Prepared<F>) => Promise<unknown>,
): Promise<Prepared<F>> {
  if (password === undefined) return fields
  if (password === null) return { ...fields, password_hash: null }
  const undone = new Error('Undone on purpose')
  const rehearsal = ctx.storage.write(
    async (tx) => {
      await write(tx, { ...fields, password_hash: '' })
      throw undone
    },
    { workspaceNo: asker.workspace.no },
  )
  await rehearsal.catch((error) => {
    if (error !== undone) throw error
  })
  return { ...fields, password_hash: await ctx.hashPassword(password, asker.workspace) }
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
  const { no, plan } = workspace
  const now = ctx.clock.now()
  const domainNo = fields.domain ?? DEFAULT_DOMAIN
  const asked = { slug: '', key: '', ...fields.slug, domainNo }
  const aliases = placeAliases(asked, fields.aliases ?? [])
  const growth = { links: 1, addresses: 1 + aliases.length, made: 1, now }
  const { n, createdAt, entryNo } = await countPlace(tx, no, growth, plan.limits)
  const blank: LinkRow = {
    ...BLANK,
    seq: no * SEQS_PER_WORKSPACE + n,
    id: ctx.ids.next('lnk'),
    workspace_no: no,
    created_at: createdAt,
    updated_at: createdAt,
  }
  const filled = withFields(blank, fields)
  const target = targetOf(filled)
  const main =
    fields.slug === undefined ? await takeUnused(ctx, tx, aliases, target, domainNo) : asked
  await claimSlugs(ctx, tx, main === asked ? [main, ...aliases] : aliases, main, target)
  const row = withAddresses(filled, { main, aliases })
  if (!(await insertLink(tx, row))) throw externalIdTaken()
  const entry = {
    workspaceNo: no,
    at: now,
    action: 'link.created' as const,
    target: targetOfEntry(row),
    before: {},
    after: changesOf(blank, row, ctx.domains).after,
    version: row.version,
  }
  await recordChange(tx, actor, entry, entryNo)
  tx.afterCommit(ctx.changed)
  return ctx.render(row, undefined, now)
}

/** Takes a slug that no link ever had, and that isn't an alias of the same request. */
async function takeUnused(
  { random }: LinkContext,
  tx: Transaction,
  aliases: readonly Address[],
  target: SlugTarget,
  domainNo: number,
): Promise<Address> {
  for (let tries = 0; ; tries++) {
    const slug = generateSlug(random, tries)
    const address = { slug, key: slug, domainNo }
    if (aliases.some(({ key }) => key === slug)) continue
    if (await claimSlug(tx, address, target, { unused: true })) return address
  }
}
