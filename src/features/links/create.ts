import { AppError, invalid } from '../../lib/errors/index.ts'
import { DEFAULT_DOMAIN } from '../../model/domains/index.ts'
import { generateSlug, TRIES_MAX } from '../../model/links/generate-slug.ts'
import { reservedFaults, type SlugSettings, slugSettings } from '../../model/links/slug-settings.ts'
import { SEQS_PER_WORKSPACE, savepoint, type Transaction } from '../../platform/storage/index.ts'
import { recordNumbered } from '../audit/index.ts'
import {
  addressOn,
  assertUsable,
  type Claim,
  claimSlugs,
  identity,
  placeAliases,
  takeSlugs,
} from './addresses.ts'
import { externalIdTaken, type LinkContext, type LinkWriter } from './context.ts'
import { idOfCreator, nameOfCreator } from './creator.ts'
import { eventObjectOf } from './event-object.ts'
import type { PreparedCreate } from './fields.ts'
import { withGroups } from './groups.ts'
import { CLOCK_STEP_MS, reserveQuota } from './quota.ts'
import type { Address, LinkRow } from './row.ts'
import {
  differing,
  targetOf,
  targetOfEntry,
  withAddresses,
  withFields,
  withUtmFields,
} from './rows.ts'
import type { Link } from './schemas.ts'
import { BLANK, insertLinks } from './store.ts'
import { outsideFaults } from './within.ts'

/**
 * Makes a link.
 * @throws AppError PLAN_LIMIT_REACHED, SLUG_TAKEN, EXTERNAL_ID_TAKEN
 */
export async function create(
  ctx: LinkContext,
  tx: Transaction,
  caller: LinkWriter,
  given: PreparedCreate,
): Promise<Link> {
  const [link] = await createAll(ctx, tx, caller, [given])
  return link as Link
}

/** Creates a link of each. Undefined: one of them is refused, and none is created. */
export async function createTogether<K>(
  ctx: LinkContext,
  tx: Transaction,
  caller: LinkWriter,
  all: ReadonlyMap<K, PreparedCreate>,
): Promise<Map<K, Link> | undefined> {
  if (all.size === 0) return new Map()
  try {
    const given = [...all.values()]
    const links = await savepoint(tx, (part) => createAll(ctx, part, caller, given))
    return new Map([...all.keys()].map((key, i) => [key, links[i] as Link]))
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return undefined
    throw error
  }
}

/** Uses one statement per table. If links can't be created, the error is that of any of them. */
async function createAll(
  ctx: LinkContext,
  tx: Transaction,
  caller: LinkWriter,
  all: readonly PreparedCreate[],
): Promise<Link[]> {
  const { workspace, actor } = caller
  const { no, plan } = workspace
  const now = ctx.clock.now()
  const wanted = all.map((given) => {
    const fields = withUtmFields(ctx, given, given.destination_url.given)
    const main = addressOn(fields.domain ?? DEFAULT_DOMAIN, fields.slug?.slug ?? '', ctx.domains)
    return { fields, main, aliases: placeAliases(main, fields.aliases ?? [], ctx.domains) }
  })
  const addresses = wanted.flatMap(({ main, aliases }) => [main, ...aliases])
  await assertUsable(ctx, tx, no, addresses)
  const growth = {
    links: all.length,
    addresses: addresses.length,
    made: all.length,
    now,
    unordered: all.some((given) => given.created_at !== undefined),
  }
  const last = await reserveQuota(tx, no, growth, plan.limits)
  // Never before another link's time, unless that came from a wrong clock.
  const created_at = last.latest - now > CLOCK_STEP_MS ? now : last.latest
  const created_by = idOfCreator(actor)
  const creator_name = await nameOfCreator(tx, actor.id)
  const drafts = wanted.map((draft, i) => {
    const before: LinkRow = {
      ...BLANK,
      seq: no * SEQS_PER_WORKSPACE + last.n - all.length + 1 + i,
      id: ctx.ids.next('lnk'),
      workspace_no: no,
      created_at,
      updated_at: created_at,
      created_by,
      creator_name,
    }
    // The history shows when it was made elsewhere, at the time when it came.
    const made = { ...before, created_at: draft.fields.created_at ?? created_at }
    return { ...draft, before, row: withFields(made, draft.fields) }
  })
  const filled = await withGroups(ctx, tx, caller, drafts)
  const faults = filled.flatMap((row, i) => outsideFaults(caller, row, drafts[i] as Wanted))
  if (faults.length > 0) throw invalid(...faults)
  const mains = await takeAddresses(ctx, tx, wanted, filled, last.slugSettings)
  const made = drafts.map(({ before, aliases }, i) => {
    const row = withAddresses(filled[i] as LinkRow, { main: mains[i] as Address, aliases })
    return { before, row }
  })
  const rows = made.map(({ row }) => row)
  if (!(await insertLinks(tx, rows))) throw externalIdTaken()
  const links = rows.map((row) => ctx.render(row, undefined, now))
  const entries = made.map(({ before, row }, i) => ({
    number: last.entryNo - all.length + 1 + i,
    sequence: last.eventNo - all.length + 1 + i,
    workspaceNo: no,
    at: now,
    action: 'link.created' as const,
    target: targetOfEntry(row),
    after: differing(row, before, links[i] as Link),
    version: row.version,
    object: eventObjectOf(links[i] as Link),
  }))
  await recordNumbered(tx, actor, entries)
  tx.afterCommit(ctx.changed)
  return links
}

/** The addresses requested for a new link; without a slug it gets one that no link ever had. */
interface Wanted {
  fields: PreparedCreate
  main: Address
  aliases: Address[]
}

/** Takes the addresses of links, by their rows. Returns the main ones. */
async function takeAddresses(
  { random, domains }: LinkContext,
  tx: Transaction,
  wanted: readonly Wanted[],
  rows: readonly LinkRow[],
  ofWorkspace: string | null,
): Promise<Address[]> {
  const claims = wanted.map(({ fields, main, aliases }, i): Claim[] => {
    const target = targetOf(rows[i] as LinkRow)
    const others = aliases.map((address): Claim => ({ address, field: 'aliases', target }))
    return fields.slug === undefined
      ? others
      : [{ address: main, field: 'slug', target }, ...others]
  })
  const asked = claims.flat()
  if (new Set(asked.map(({ address }) => identity(address))).size < asked.length) {
    throw new AppError('SLUG_TAKEN')
  }
  if (asked.length > 0) await takeSlugs({ random }, tx, asked)
  const mains = wanted.map(({ fields, main }) => (fields.slug === undefined ? undefined : main))
  const settings = wanted.map(({ fields, main: { domainNo } }) => {
    const ofDomain = domains.slugSettingsOf(domainNo)
    return slugSettings(ofDomain === undefined ? ofWorkspace : ofDomain, fields)
  })
  for (let tries = 0; mains.includes(undefined); tries++) {
    const tried = new Map<string, Claim & { i: number }>()
    for (const [i, { main }] of wanted.entries()) {
      if (mains[i] !== undefined) continue
      const { domainNo } = main
      const chosen = settings[i] as SlugSettings
      assertRoom(chosen, domainNo, tries)
      const address = addressOn(domainNo, generateSlug(random, tries, chosen, domainNo), domains)
      const target = targetOf(rows[i] as LinkRow)
      tried.set(identity(address), { address, field: 'slug', target, i })
    }
    const failed = await claimSlugs(tx, [...tried.values()], { unused: true })
    for (const claim of tried.values()) {
      if (!failed.includes(claim)) mains[claim.i] = claim.address
    }
  }
  return mains as Address[]
}

/** Refuses a prefix below which nothing is free. */
function assertRoom({ prefix }: SlugSettings, domainNo: number, tries: number): void {
  // It was allowed when a setting was made by an earlier version.
  const faults = reservedFaults(prefix, domainNo).map((fault) => fault.of('slug_prefix'))
  if (tries === TRIES_MAX) faults.push({ field: 'slug_prefix', code: 'SLUG_TAKEN' })
  if (faults.length > 0) throw invalid(...faults)
}
