import type { IfMatch } from '../../http/callers.ts'
import { hashNormalized } from '../../lib/base/passwords.ts'
import { withContext } from '../../lib/base/verbs.ts'
import type { Locale } from '../../lib/i18n/index.ts'
import { createBlockList } from '../../model/blocks/list.ts'
import { createUrlCheck } from '../../model/links/values.ts'
import { createHashQueue } from '../../platform/limits/index.ts'
import { rehearse, type Transaction } from '../../platform/storage/index.ts'
import { changeFound, tryFound } from './bulk/by-filter.ts'
import { countFound, nextFound } from './bulk/filtered.ts'
import { createBulk } from './bulk/run.ts'
import { undoFound } from './bulk/undo.ts'
import { weigh } from './bulk/weight.ts'
import { checkLink } from './check.ts'
import type { LinkContext, LinkServiceDeps, LinkWriter } from './context.ts'
import { create, createTogether } from './create.ts'
import { createExports, exportColumns } from './export.ts'
import {
  type CreateFields,
  createLinkSchemas,
  type LinkRules,
  type LinkSchemas,
  type PatchFields,
  type Prepared,
  type PreparedCreate,
  type WithPassword,
} from './fields.ts'
import { get, type LinkName, lookUp } from './find.ts'
import { findOrCreate, type IfExists } from './find-or-create.ts'
import { history, prepareRestore, restore } from './history.ts'
import { list } from './list.ts'
import { listDeleted, purgeDeleted, purgeSome, remove } from './remove.ts'
import { createRenderer } from './rows.ts'
import type { Link } from './schemas.ts'
import { createTotals } from './totals.ts'
import { update, upsert } from './update.ts'
import { warningsOf, withWarnings } from './warnings.ts'

/** Up to this many links a list is sorted, above that its index is read: both take milliseconds. */
const FEW = 5_000

/** argon2id with 19 MiB and two passes, as in OWASP's Password Storage Cheat Sheet. */
export function hashPassword(password: string): Promise<string> {
  return hashNormalized(password, { memoryCost: 19_456, timeCost: 2 })
}

/**
 * The links of a workspace; see the implementing functions. Slow work is done before the
 * transaction, which only uses the database.
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
  // Created on demand: a process that validates nothing doesn't pay for them.
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
    assertCountersComplete: () => deps.assertCountersComplete?.(),
    changed: () => deps.changed?.(),
    countersOutdated: (linkSeq) => deps.countersOutdated?.(linkSeq),
    get schemas() {
      return schemasOf()
    },
  }
  return {
    ...withContext(ctx, {
      listDeleted,
      create,
      findOrCreate,
      update,
      upsert,
      lookUp,
      countFound,
      nextFound,
      changeFound,
      tryFound,
      undoFound,
      weigh,
      remove,
      prepareRestore,
      restore,
      history,
      checkLink,
      get,
      list,
      purgeDeleted,
      purgeSome,
    }),
    bulk: createBulk(ctx, schemasOf),
    createTogether: <K>(tx: Transaction, caller: LinkWriter, all: ReadonlyMap<K, PreparedCreate>) =>
      createTogether(ctx, tx, caller, all),
    /** What the schemas depend on; their output is the input of this service. */
    rules,
    hashPassword: ctx.hashPassword,
    exports: createExports(ctx, () => exportColumns(Object.keys(schemasOf().create.shape))),
    /** Adds warnings to a link, for the response of a write. */
    warned: (link: Link, reader: { readonly locale: Locale }) =>
      withWarnings(link, ctx.clock.now(), reader),
    warningsOf: (link: Link) => warningsOf(link, ctx.clock.now()),
    prepareCreate: (caller: LinkWriter, fields: CreateFields, ifExists?: IfExists) =>
      prepareWrite(ctx, caller, fields, (tx, prepared) =>
        findOrCreate(ctx, tx, caller, prepared, ifExists),
      ),
    preparePatch: (caller: LinkWriter, name: LinkName, fields: PatchFields, ifMatch: IfMatch) =>
      prepareWrite(ctx, caller, fields, (tx, patch) =>
        update(ctx, tx, caller, name, patch, ifMatch),
      ),
    prepareUpsert: (
      caller: LinkWriter,
      externalId: string,
      fields: CreateFields,
      ifMatch: IfMatch,
    ) =>
      prepareWrite(ctx, caller, fields, (tx, prepared) =>
        upsert(ctx, tx, caller, externalId, prepared, ifMatch),
      ),
  }
}

/**
 * Hashes the password of a creation or a patch. Hashing takes a core tens of milliseconds, so a
 * request to be refused must not get that far: `write` runs first in a transaction that is rolled
 * back.
 * @throws AppError what `write` throws
 */
export async function prepareWrite<F extends WithPassword>(
  ctx: Pick<LinkContext, 'storage' | 'hashPassword'>,
  caller: { readonly workspace: { readonly no: number }; readonly isDryRun?: boolean | undefined },
  { password, ...fields }: F,
  write: (tx: Transaction, prepared: Prepared<F>) => Promise<unknown>,
): Promise<Prepared<F>> {
  if (password === undefined) return fields
  if (password === null) return { ...fields, password_hash: null }
  // Nothing will be written, so the empty hash is enough.
  if (caller.isDryRun) return { ...fields, password_hash: '' }
  await rehearse(ctx.storage, (tx) => write(tx, { ...fields, password_hash: '' }), {
    workspaceNo: caller.workspace.no,
  })
  return { ...fields, password_hash: await ctx.hashPassword(password, caller.workspace) }
}
