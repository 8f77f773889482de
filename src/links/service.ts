import type { Clock } from '../base/clock.ts'
import type { Ids } from '../base/ids.ts'
import type { Random } from '../base/random.ts'
import { type BlockList, createBlockList } from '../blocks/list.ts'
import type { Domains } from '../domains/index.ts'
import { AppError } from '../errors/index.ts'
import type { Cursors } from '../http/cursor.ts'
import { createHashQueue, type HashQueue } from '../limits/index.ts'
import type { Storage, Transaction } from '../storage/index.ts'
import { type AddressCheck, checkAddress } from './check.ts'
import type { LinkAsker, LinkCaller } from './context.ts'
import { create } from './create.ts'
import type { LinkRules } from './fields.ts'
import { type HistoryPage, history } from './history.ts'
import { type ListContext, type ListQuery, type ListResult, list } from './list.ts'
import { prepareCreate, preparePatch } from './prepare.ts'
import { purgeDeleted, purgeSome } from './purge.ts'
import { remove } from './remove.ts'
import { createRenderer } from './render.ts'
import { type PreparedRestore, prepareRestore, type RestoreContext, restore } from './restore.ts'
import { createLinkSchemas, type LinkSchemas } from './schemas.ts'
import type { SlugName } from './slug.ts'
import { findCounters, findLink } from './store.ts'
import { createTotals } from './totals.ts'
import type { CreateFields, Link, PatchFields, PreparedCreate, PreparedPatch } from './types.ts'
import { type IfMatch, update } from './update.ts'
import { createUrlCheck, type OwnHosts, type UrlRules } from './url.ts'

/** What the links service works with. */
export interface LinkServiceDeps {
  storage: Storage
  clock: Clock
  ids: Ids
  random: Random
  cursors: Cursors
  domains: Domains
  ownHosts: OwnHosts
  urlRules: UrlRules
  /** What is blocked besides addresses. Default: nothing. */
  blocks?: BlockList
  /** How many people have visited a link so far, with those who are not counted yet. */
  peopleSoFar: (linkSeq: number) => number | Promise<number>
  /** Where passwords wait to be hashed. Default: a queue of its own. */
  hashes?: HashQueue
  /** Default: {@link hashPassword}. */
  hashPassword?: (password: string) => Promise<string>
  /** How many links a list collects and sorts; `total=quick` counts no further. Default: {@link FEW}. */
  few?: number
  /** Called after every commit that made, changed or deleted a link. */
  changed?: () => void
  /** Called with the `seq` of a link after the commit that deleted it for good. */
  removed?: (linkSeq: number) => void
}

/** Of fewer links a list is sorted, of more its index is walked: both take milliseconds. */
const FEW = 5_000

/**
 * Links of a workspace. What takes long is prepared before the transaction; what happens inside it
 * only touches the database.
 */
export interface LinkService {
  /** What the schemas of bodies and queries check against; their output is what the verbs take. */
  readonly rules: LinkRules
  /** Does what takes long, before the transaction. @throws AppError what `create` would throw */
  prepareCreate(asker: LinkAsker, fields: CreateFields): Promise<PreparedCreate>
  /** @throws AppError PLAN_LIMIT_REACHED, SLUG_TAKEN, VALIDATION_FAILED */
  create(tx: Transaction, asker: LinkAsker, fields: PreparedCreate): Promise<Link>
  /** See `prepareCreate`. @throws AppError what `update` would throw */
  preparePatch(
    asker: LinkAsker,
    id: string,
    fields: PatchFields,
    ifMatch: IfMatch,
  ): Promise<PreparedPatch>
  /**
   * @throws AppError LINK_NOT_FOUND, PRECONDITION_FAILED, SLUG_TAKEN, VALIDATION_FAILED,
   *   PLAN_LIMIT_REACHED
   */
  update(
    tx: Transaction,
    asker: LinkAsker,
    id: string,
    patch: PreparedPatch,
    ifMatch: IfMatch,
  ): Promise<Link>
  /** @throws AppError LINK_NOT_FOUND, PRECONDITION_FAILED */
  remove(tx: Transaction, asker: LinkAsker, id: string, ifMatch: IfMatch): Promise<void>
  /** @throws AppError LINK_NOT_FOUND, VALIDATION_FAILED where there is no such version. */
  prepareRestore(
    caller: LinkCaller,
    id: string,
    version: number | undefined,
  ): Promise<PreparedRestore>
  /** @throws AppError as `update` does, and PLAN_LIMIT_REACHED */
  restore(
    tx: Transaction,
    asker: LinkAsker,
    id: string,
    prepared: PreparedRestore,
    ifMatch: IfMatch,
  ): Promise<Link>
  /** @throws AppError LINK_NOT_FOUND, BAD_REQUEST */
  history(
    caller: LinkCaller,
    id: string,
    page: { limit: number; cursor?: string | undefined },
  ): Promise<HistoryPage>
  /** Whether a link could have this slug; nothing is taken. */
  checkAddress(
    caller: LinkCaller,
    address: { slug: SlugName; domainNo: number | undefined },
    exceptId: string | undefined,
  ): Promise<AddressCheck>
  /** Forgets deleted links whose days of grace are over. Returns how many. */
  purgeDeleted(): Promise<number>
  /** Forgets some links of a workspace that is gone. True: none is left. */
  purgeSome(tx: Transaction, workspaceNo: number): Promise<boolean>
  /** @throws AppError LINK_NOT_FOUND */
  get(caller: LinkCaller, id: string): Promise<Link>
  /** @throws AppError BAD_REQUEST */
  list(caller: LinkCaller, query: ListQuery): Promise<ListResult>
}

/** argon2id with 19 MiB and two passes, as OWASP's Password Storage Cheat Sheet has it. */
export function hashPassword(password: string): Promise<string> {
  return Bun.password.hash(password, { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 })
}

/** Makes the links service of an instance. */
export function createLinkService(deps: LinkServiceDeps): LinkService {
  const { storage, clock, domains, few = FEW, hashes = createHashQueue() } = deps
  const { hashPassword: hash = hashPassword } = deps
  const blocks = deps.blocks ?? createBlockList({ storage, domains, hosts: [] })
  let schemas: LinkSchemas | undefined
  const ctx: RestoreContext & ListContext = {
    storage,
    clock,
    ids: deps.ids,
    random: deps.random,
    domains,
    blocks,
    cursors: deps.cursors,
    totals: createTotals(few),
    few,
    render: createRenderer(domains, blocks),
    hashPassword: (password, { no }) => hashes.run('link', String(no), () => hash(password)),
    peopleSoFar: deps.peopleSoFar,
    changed: () => deps.changed?.(),
    removed: (linkSeq) => deps.removed?.(linkSeq),
    // Made when it is first needed: a process that restores nothing doesn't pay for it.
    get patchSchema() {
      schemas ??= createLinkSchemas(rules)
      return schemas.patch
    },
  }
  const rules: LinkRules = {
    checkUrl: createUrlCheck(deps.ownHosts, {
      ...deps.urlRules,
      isBlockedHost: (host) => blocks.hasHost(host),
    }),
    domains,
  }
  return {
    rules,
    prepareCreate: (asker, fields) => prepareCreate(ctx, asker, fields),
    create: (tx, asker, fields) => create(ctx, tx, asker, fields),
    preparePatch: (asker, id, fields, ifMatch) => preparePatch(ctx, asker, id, fields, ifMatch),
    update: (tx, asker, id, patch, ifMatch) => update(ctx, tx, asker, id, patch, ifMatch),
    remove: (tx, asker, id, ifMatch) => remove(ctx, tx, asker, id, ifMatch),
    prepareRestore: (caller, id, version) => prepareRestore(ctx, caller, id, version),
    restore: (tx, asker, id, prepared, ifMatch) => restore(ctx, tx, asker, id, prepared, ifMatch),
    history: (caller, id, page) => history(ctx, caller, id, page),
    checkAddress: (caller, address, exceptId) =>
      checkAddress(ctx, storage.read, caller, address, exceptId),
    purgeDeleted: () => purgeDeleted(ctx),
    purgeSome: (tx, workspaceNo) => purgeSome(ctx, tx, workspaceNo),
    async get({ workspace }, id) {
      const row = await findLink(storage.read, id, workspace.no)
      if (row === undefined) throw new AppError('LINK_NOT_FOUND')
      // Two point reads take half as long as a join over two files.
      return ctx.render(row, await findCounters(storage.read, row.seq), clock.now())
    },
    list: (caller, query) => list(ctx, caller, query),
  }
}
