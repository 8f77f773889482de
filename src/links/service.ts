import { createBlockList } from '../blocks/list.ts'
import { AppError } from '../errors/index.ts'
import { createHashQueue } from '../limits/index.ts'
import { checkLink } from './check.ts'
import type { IfMatch, LinkAsker, LinkCaller, LinkContext, LinkServiceDeps } from './context.ts'
import { create, prepareWrite } from './create.ts'
import {
  type CreateFields,
  createLinkSchemas,
  type LinkRules,
  type LinkSchemas,
  type PatchFields,
} from './fields.ts'
import { history, prepareRestore, restore } from './history.ts'
import { createTotals, list } from './list.ts'
import { purgeDeleted, purgeSome, remove } from './remove.ts'
import { createRenderer } from './rows.ts'
import type { Link } from './schemas.ts'
import { findCounters, findLink } from './store.ts'
import { update } from './update.ts'
import { createUrlCheck } from './url.ts'

/** Of fewer links a list is sorted, of more its index is walked: both take milliseconds. */
const FEW = 5_000

/** argon2id with 19 MiB and two passes, as OWASP's Password Storage Cheat Sheet has it. */
export function hashPassword(password: string): Promise<string> {
  return Bun.password.hash(password, { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 })
}

/** A link of a workspace. @throws AppError LINK_NOT_FOUND */
async function get(
  { storage, clock, render }: LinkContext,
  { workspace }: LinkCaller,
  id: string,
): Promise<Link> {
  const row = await findLink(storage.read, id, workspace.no)
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
    // Made when it is first needed: a process that restores nothing doesn't pay for it.
    get patchSchema() {
      schemas ??= createLinkSchemas(rules)
      return schemas.patch
    },
  }
  const verb =
    <A extends unknown[], R>(run: (context: LinkContext, ...parameters: A) => R) =>
    (...parameters: A): R =>
      run(ctx, ...parameters)
  return {
    /** What the schemas of bodies and queries check against; their output is what the verbs take. */
    rules,
    prepareCreate: (asker: LinkAsker, fields: CreateFields) =>
      prepareWrite(ctx, asker, fields, (tx, prepared) => create(ctx, tx, asker, prepared)),
    create: verb(create),
    preparePatch: (asker: LinkAsker, id: string, fields: PatchFields, ifMatch: IfMatch) =>
      prepareWrite(ctx, asker, fields, (tx, patch) => update(ctx, tx, asker, id, patch, ifMatch)),
    update: verb(update),
    remove: verb(remove),
    prepareRestore: verb(prepareRestore),
    restore: verb(restore),
    history: verb(history),
    checkLink: verb(checkLink),
    purgeDeleted: verb(purgeDeleted),
    purgeSome: verb(purgeSome),
    get: verb(get),
    list: verb(list),
  }
}
