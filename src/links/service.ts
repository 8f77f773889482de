import type { Clock } from '../base/clock.ts'
import type { Ids } from '../base/ids.ts'
import type { Random } from '../base/random.ts'
import type { Domains } from '../domains/index.ts'
import { AppError } from '../errors/index.ts'
import type { Cursors } from '../http/cursor.ts'
import type { Storage, Transaction } from '../storage/index.ts'
import type { LinkCaller, LinkContext } from './context.ts'
import { create, prepareCreate, withHash } from './create.ts'
import type { LinkRules } from './fields.ts'
import { type ListContext, type ListQuery, type ListResult, list } from './list.ts'
import { remove } from './remove.ts'
import { createRenderer } from './render.ts'
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
  /** How many people have visited a link so far, with those who are not counted yet. */
  peopleSoFar: (linkSeq: number) => number
  /** Default: {@link hashPassword}. */
  hashPassword?: (password: string) => Promise<string>
  /** Called after every commit that made, changed or deleted a link. */
  changed?: () => void
  /** Called with the `seq` of a link after the commit that deleted it. */
  removed?: (linkSeq: number) => void
}

/**
 * Links of a workspace. What takes long is prepared before the transaction; what happens inside it
 * only touches the database.
 */
export interface LinkService {
  /** What the schemas of bodies and queries check against; their output is what the verbs take. */
  readonly rules: LinkRules
  prepareCreate(fields: CreateFields): Promise<PreparedCreate>
  /** @throws AppError PLAN_LIMIT_REACHED, SLUG_TAKEN, VALIDATION_FAILED */
  create(tx: Transaction, caller: LinkCaller, fields: PreparedCreate): Promise<Link>
  preparePatch(fields: PatchFields): Promise<PreparedPatch>
  /** @throws AppError LINK_NOT_FOUND, PRECONDITION_FAILED, SLUG_TAKEN, VALIDATION_FAILED */
  update(
    tx: Transaction,
    caller: LinkCaller,
    id: string,
    patch: PreparedPatch,
    ifMatch: IfMatch,
  ): Promise<Link>
  /** @throws AppError LINK_NOT_FOUND, PRECONDITION_FAILED */
  remove(tx: Transaction, caller: LinkCaller, id: string, ifMatch: IfMatch): Promise<void>
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
  const { storage, clock, domains } = deps
  const totals = createTotals()
  const ctx: LinkContext & ListContext = {
    storage,
    clock,
    ids: deps.ids,
    random: deps.random,
    domains,
    cursors: deps.cursors,
    totals,
    render: createRenderer(domains),
    hashPassword: deps.hashPassword ?? hashPassword,
    peopleSoFar: deps.peopleSoFar,
    changed(workspaceNo) {
      totals.changed(workspaceNo)
      deps.changed?.()
    },
    removed: (linkSeq) => deps.removed?.(linkSeq),
  }
  const rules: LinkRules = { checkUrl: createUrlCheck(deps.ownHosts, deps.urlRules), domains }
  return {
    rules,
    prepareCreate: (fields) => prepareCreate(ctx, fields),
    create: (tx, caller, fields) => create(ctx, tx, caller, fields),
    preparePatch: (fields) => withHash(ctx, fields),
    update: (tx, caller, id, patch, ifMatch) => update(ctx, tx, caller, id, patch, ifMatch),
    remove: (tx, caller, id, ifMatch) => remove(ctx, tx, caller, id, ifMatch),
    async get({ workspace }, id) {
      const row = await findLink(storage.read, id, workspace.no)
      if (row === undefined) throw new AppError('LINK_NOT_FOUND')
      // Two point reads take half as long as a join over two files.
      return ctx.render(row, await findCounters(storage.read, row.seq), clock.now())
    },
    list: (caller, query) => list(ctx, caller, query),
  }
}
