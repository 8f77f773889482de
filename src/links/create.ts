import { recordChange } from '../audit/index.ts'
import { DEFAULT_DOMAIN } from '../domains/index.ts'
import { SEQS_PER_WORKSPACE, type Transaction } from '../storage/index.ts'
import {
  type Address,
  addressOn,
  claimSlug,
  claimSlugs,
  placeAliases,
  type SlugTarget,
  targetOf,
} from './addresses.ts'
import { externalIdTaken, type LinkAsker, type LinkContext } from './context.ts'
import type { PreparedCreate } from './fields.ts'
import { withGroups } from './groups.ts'
import { assertUsable } from './own-domains.ts'
import { changesOf, targetOfEntry, withAddresses, withFields } from './rows.ts'
import type { Link } from './schemas.ts'
import { generateSlug } from './slug.ts'
import { BLANK, countPlace, insertLink, type LinkRow } from './store.ts'
import { withUtmFields } from './view-fields.ts'

/**
 * Makes a link.
 * @throws AppError PLAN_LIMIT_REACHED, SLUG_TAKEN, VALIDATION_FAILED (EXTERNAL_ID_TAKEN)
 */
export async function create(
  ctx: LinkContext,
  tx: Transaction,
  caller: LinkAsker,
  given: PreparedCreate,
): Promise<Link> {
  const { workspace, actor } = caller
  const fields = withUtmFields(ctx, given, given.destination_url.given)
  const { no, plan } = workspace
  const now = ctx.clock.now()
  const domainNo = fields.domain ?? DEFAULT_DOMAIN
  const asked = addressOn(domainNo, fields.slug?.slug ?? '', ctx.domains)
  const aliases = placeAliases(asked, fields.aliases ?? [], ctx.domains)
  await assertUsable(ctx, tx, no, [asked, ...aliases])
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
  const filled = await withGroups(ctx, tx, caller, blank, withFields(blank, fields))
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
