import { recordChange } from '../audit/index.ts'
import { withContext } from '../base/verbs.ts'
import { createBlockList } from '../blocks/list.ts'
import { DEFAULT_DOMAIN } from '../domains/index.ts'
import { AppError } from '../errors/index.ts'
import { createHashQueue } from '../limits/index.ts'
import { rehearse, SEQS_PER_WORKSPACE, type Transaction } from '../storage/index.ts'
import {
  type Address,
  claimSlug,
  claimSlugs,
  placeAliases,
  type SlugTarget,
  targetOf,
} from './addresses.ts'
import { checkLink } from './check.ts'
import {
  externalIdTaken,
  type IfMatch,
  type LinkAsker,
  type LinkCaller,
  type LinkContext,
  type LinkServiceDeps,
} from './context.ts'
import { createLinkExport, exportColumns } from './export.ts'
import {
  type CreateFields,
  createLinkSchemas,
  type LinkRules,
  type LinkSchemas,
  type PatchFields,
  type Prepared,
  type PreparedCreate,
} from './fields.ts'
import { withGroups } from './groups.ts'
import { history, prepareRestore, restore } from './history.ts'
import { createTotals, list } from './list.ts'
import { purgeDeleted, purgeSome, remove } from './remove.ts'
import { changesOf, createRenderer, targetOfEntry, withAddresses, withFields } from './rows.ts'
import type { Link } from './schemas.ts'
import { generateSlug } from './slug.ts'
import { BLANK, countPlace, findCounters, findLink, insertLink, type LinkRow } from './store.ts'
import { update } from './update.ts'
import { createUrlCheck } from './values.ts'
import { withUtmFields } from './view-fields.ts'

/** Of fewer links a list is sorted, of more its index is walked: both take milliseconds. */
const FEW = 5_000

/** argon2id with 19 MiB and two passes, as OWASP's Password Storage Cheat Sheet has it. */
export function hashPassword(password: string): Promise<string> {
  return Bun.password.hash(password, { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 })
}

/** A link of a workspace. @throws AppError LINK_NOT_FOUND */
async function get(
  { storage, clock, render }: LinkContext,
  caller: LinkCaller,
  id: string,
): Promise<Link> {
  const row = await findLink(storage.read, id, caller)
  if (row === undefined) throw new AppError('LINK_NOT_FOUND')
  // Two point reads take half as long as a join over two files.
  return render(row, await findCounters(storage.read, row.seq), clock.now())
}

/**
 * Links of a workspace; each verb is described where it is implemented. What takes long is prepared
 * before the transaction; what happens inside it only touches the database.
 */
export type LinkService = ReturnType<typeof createLinkService>

/** Makes the links service of an instance. */
export function createLinkService(deps: LinkServiceDeps) {
  const { storage, domains, few = FEW, hashes = createHashQueue() } = deps
  const { hashPassword: hash = hashPassword } = deps
  const blocks = deps.blocks ?? createBlockList({ storage, domains, hosts: [] })
  const rules: LinkRules = {
    checkUrl: createUrlCheck(deps.ownHosts, {
      ...deps.urlRules,
      isBlockedHost: (host) => blocks.hasHost(host),
    }),
    domains,
  }
  let schemas: LinkSchemas | undefined
  // Made when they are first needed: a process that restores nothing doesn't pay for them.
  const schemasOf = () => {
    schemas ??= createLinkSchemas(rules)
    return schemas
  }
  const ctx: LinkContext = {
    ...deps,
    blocks,
    few,
    rules,
    totals: createTotals(few),
    render: createRenderer(domains, blocks),
    hashPassword: (password, { no }) => hashes.run('link', String(no), () => hash(password)),
    changed: () => deps.changed?.(),
    removed: (linkSeq) => deps.removed?.(linkSeq),
    get patchSchema() {
      return schemasOf().patch
    },
  }
  const verbs = { create, update, remove, prepareRestore, restore, history, checkLink, get, list }
  return {
    ...withContext(ctx, { ...verbs, purgeDeleted, purgeSome }),
    /** What the schemas of bodies and queries check against; their output is what the verbs take. */
    rules,
    hashPassword: ctx.hashPassword,
    /** A file of all links that match. */
    export: createLinkExport(ctx, () => exportColumns(Object.keys(schemasOf().create.shape))),
    prepareCreate: (asker: LinkAsker, fields: CreateFields) =>
      prepareWrite(ctx, asker, fields, (tx, prepared) => create(ctx, tx, asker, prepared)),
    preparePatch: (asker: LinkAsker, id: string, fields: PatchFields, ifMatch: IfMatch) =>
      prepareWrite(ctx, asker, fields, (tx, patch) => update(ctx, tx, asker, id, patch, ifMatch)),
  }
}

/**
 * Hashes the password of a creation or a patch. Hashing takes a core tens of milliseconds, so a
 * request that will be refused must not get that far: `write` runs first in a transaction that is
 * undone.
 * @throws AppError what `write` throws
 */
async function prepareWrite<F extends PatchFields>(
  ctx: LinkContext,
  asker: LinkAsker,
  { password, ...fields }: F,
  write: (tx: Transaction, prepared: Prepared<F>) => Promise<unknown>,
): Promise<Prepared<F>> {
  if (password === undefined) return fields
  if (password === null) return { ...fields, password_hash: null }
  await rehearse(ctx.storage, (tx) => write(tx, { ...fields, password_hash: '' }), {
    workspaceNo: asker.workspace.no,
  })
  return { ...fields, password_hash: await ctx.hashPassword(password, asker.workspace) }
}

/**
 * Makes a link.
 * @throws AppError PLAN_LIMIT_REACHED, SLUG_TAKEN, VALIDATION_FAILED (EXTERNAL_ID_TAKEN)
 */
async function create(
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
