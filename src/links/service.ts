import type { Clock } from '../base/clock.ts'
import type { Ids } from '../base/ids.ts'
import type { Random } from '../base/random.ts'
import { withContext } from '../base/verbs.ts'
import type { Domains } from '../domains/index.ts'
import { AppError } from '../errors/index.ts'
import type { Cursors } from '../http/cursor.ts'
import type { Storage } from '../storage/index.ts'
import { checkAddress } from './check.ts'
import type { LinkCaller, LinkContext } from './context.ts'
import { create, prepareCreate, withHash } from './create.ts'
import type { LinkRules } from './fields.ts'
import { history } from './history.ts'
import { type ListContext, list } from './list.ts'
import { purgeDeleted, purgeSome } from './purge.ts'
import { remove } from './remove.ts'
import { createRenderer } from './render.ts'
import { prepareRestore, type RestoreContext, restore } from './restore.ts'
import { createLinkSchemas, type LinkSchemas } from './schemas.ts'
import { findCounters, findLink } from './store.ts'
import { createTotals } from './totals.ts'
import type { Link } from './types.ts'
import { update } from './update.ts'
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
  peopleSoFar: (linkSeq: number) => number | Promise<number>
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

/** argon2id with 19 MiB and two passes, as OWASP's Password Storage Cheat Sheet has it. */
export function hashPassword(password: string): Promise<string> {
  return Bun.password.hash(password, { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 })
}

/**
 * Makes the links service of an instance. What takes long is prepared before the transaction; what
 * happens inside it only touches the database.
 */
export function createLinkService(deps: LinkServiceDeps) {
  const { storage, clock, domains, few = FEW } = deps
  let schemas: LinkSchemas | undefined
  const ctx: RestoreContext & ListContext = {
    storage,
    clock,
    ids: deps.ids,
    random: deps.random,
    domains,
    cursors: deps.cursors,
    totals: createTotals(few),
    few,
    render: createRenderer(domains),
    hashPassword: deps.hashPassword ?? hashPassword,
    peopleSoFar: deps.peopleSoFar,
    changed: () => deps.changed?.(),
    removed: (linkSeq) => deps.removed?.(linkSeq),
    // Made when it is first needed: a process that restores nothing doesn't pay for it.
    get patchSchema() {
      schemas ??= createLinkSchemas(rules)
      return schemas.patch
    },
  }
  const rules: LinkRules = { checkUrl: createUrlCheck(deps.ownHosts, deps.urlRules), domains }
  const verbs = {
    prepareCreate,
    create,
    preparePatch: withHash,
    update,
    remove,
    prepareRestore,
    restore,
    history,
    checkAddress,
    purgeDeleted,
    purgeSome,
    get,
    list,
  }
  return { rules, ...withContext(ctx, verbs) }
}

/** Links of a workspace. `rules` is what the schemas of bodies and queries check against. */
export type LinkService = ReturnType<typeof createLinkService>

/** @throws AppError LINK_NOT_FOUND */
async function get(
  { storage, render, clock }: LinkContext,
  { workspace }: LinkCaller,
  id: string,
): Promise<Link> {
  const row = await findLink(storage.read, id, workspace.no)
  if (row === undefined) throw new AppError('LINK_NOT_FOUND')
  // Two point reads take half as long as a join over two files.
  return render(row, await findCounters(storage.read, row.seq), clock.now())
}
