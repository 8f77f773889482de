import type { IfMatch } from '../../http/callers.ts'
import { pageOf } from '../../http/page.ts'
import { randomString } from '../../lib/base/random.ts'
import { withContext } from '../../lib/base/verbs.ts'
import { type Reader, viewOf } from '../../lib/base/view.ts'
import { AppError, invalid } from '../../lib/errors/index.ts'
import { hostOfUrl } from '../../lib/validation/host.ts'
import { SLUG_ALPHABET } from '../../model/links/slug.ts'
import { withSlugFields } from '../../model/links/slug-settings.ts'
import type { Destination } from '../../model/links/values.ts'
import type { Transaction } from '../../platform/storage/index.ts'
import { changedFields, type Writer } from '../audit/index.ts'
import { rekeySlugs } from '../links/index.ts'
import { type DomainServiceDeps, record } from './context.ts'
import { brandOf, domainOf, settingsOf } from './rows.ts'
import type { Domain, DomainCreate, DomainPatch } from './schemas.ts'
import {
  countLinks,
  countOwned,
  type DomainRow,
  dropOwned,
  dropOwnedOf,
  findOwned,
  insertOwned,
  isTaken,
  listAllOwned,
  listOwned,
  updateOwned,
} from './store.ts'
import { lookUp, recheck, verify } from './verify.ts'

const TOKEN_LENGTH = 32

/** The domains of workspaces. Every change notifies all processes. */
export type DomainService = ReturnType<typeof createDomainService>

export function createDomainService(deps: DomainServiceDeps) {
  const { read } = deps.storage
  return {
    ...withContext(deps, {
      list,
      get,
      find,
      linksOn,
      create,
      update,
      remove,
      lookUp,
      verify,
      recheck,
    }),
    /** How many domains a workspace has, for its plan's limit. */
    count: (workspaceNo: number) => countOwned(read, workspaceNo),
    /** The domains of all workspaces, for the operator. */
    listAll: () => listAllOwned(read),
    /** Releases the hosts of a workspace that is being deleted. */
    drop: dropOwnedOf,
    /** Returns the result of a change once this process has it in memory. */
    async refreshed<A>(changing: Promise<A>): Promise<A> {
      const answer = await changing
      // The change is committed: a failure to read it back must not fail the request.
      await deps.domains.refresh().catch(() => {})
      return answer
    },
  }
}

/** A page of a workspace's domains, newest first. @throws AppError BAD_REQUEST */
async function list(
  { storage, cursors }: DomainServiceDeps,
  reader: Reader,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
) {
  const { no: workspaceNo } = reader.workspace
  const binding = JSON.stringify(['domains', workspaceNo])
  const below = cursor === undefined ? null : (cursors.decode(cursor, binding)[0] as string)
  const rows = await listOwned(storage.read, workspaceNo, below, limit + 1, reader)
  const page = pageOf(rows, limit, ({ id }) => cursors.encode([id], binding))
  const links = await countLinks(
    storage.reports,
    page.data.map(({ no }) => no),
    viewOf(reader),
  )
  return { ...page, data: page.data.map((row) => domainOf(row, links.get(row.no) ?? 0)) }
}

/** @throws AppError DOMAIN_NOT_FOUND */
async function get(deps: DomainServiceDeps, reader: Reader, id: string): Promise<Domain> {
  const row = await find(deps, reader, id)
  return domainOf(row, await linksOf(deps, reader, row))
}

/** @throws AppError DOMAIN_NOT_FOUND */
function find({ storage }: DomainServiceDeps, reader: Reader, id: string): Promise<DomainRow> {
  return findOwned(storage.read, reader.workspace.no, id, reader)
}

/** How many links that a reader can see have an address on a domain. @throws AppError DOMAIN_NOT_FOUND */
async function linksOn(deps: DomainServiceDeps, reader: Reader, id: string): Promise<number> {
  return linksOf(deps, reader, await find(deps, reader, id))
}

async function linksOf(
  { storage }: DomainServiceDeps,
  reader: Reader,
  { no }: DomainRow,
): Promise<number> {
  return (await countLinks(storage.reports, [no], viewOf(reader))).get(no) ?? 0
}

/**
 * Claims a host, which is served once it is verified.
 * @throws AppError DOMAIN_TAKEN, PLAN_LIMIT_REACHED, VALIDATION_FAILED (URL_LOOPS_BACK)
 */
async function create(
  deps: DomainServiceDeps,
  tx: Transaction,
  { workspace, actor }: Writer,
  { host, ...settings }: DomainCreate,
): Promise<Domain> {
  const now = deps.clock.now()
  await tx.lockWorkspace(workspace.no)
  await tx.lock('domains')
  const limit = workspace.plan.limits.domains
  if (limit !== null && (await countOwned(tx, workspace.no)) >= limit) {
    throw new AppError('PLAN_LIMIT_REACHED', {
      details: [{ field: 'domains', code: 'DOMAINS_LIMIT', params: { limit } }],
    })
  }
  if (await isTaken(tx, host, { workspaceNo: workspace.no })) throw new AppError('DOMAIN_TAKEN')
  const blank: Omit<DomainRow, 'no'> = {
    id: deps.ids.next('dom'),
    workspace_no: workspace.no,
    host,
    status: 'pending',
    token: randomString(deps.random, SLUG_ALPHABET, TOKEN_LENGTH),
    checked_at: null,
    found: '[]',
    lookup_error: null,
    failing_since: null,
    root_url: null,
    not_found_url: null,
    expired_url: null,
    case_sensitive: 0,
    brand: null,
    robots: 'all',
    apple_app_site_association: null,
    assetlinks: null,
    slug_settings: null,
    created_at: now,
    updated_at: now,
    version: 1,
  }
  const row = await insertOwned(tx, withSettings(blank, settings))
  await record(tx, actor, 'domain.created', row, now, { after: { host, ...settingsOf(row) } })
  return domainOf(row, 0)
}

/**
 * Changes settings by a merge patch; one without changes keeps the version.
 * @throws AppError DOMAIN_NOT_FOUND, PRECONDITION_FAILED, VALIDATION_FAILED (URL_LOOPS_BACK,
 *   SLUGS_COLLIDE, TOO_MANY)
 */
async function update(
  deps: DomainServiceDeps,
  tx: Transaction,
  { workspace, actor }: Writer,
  id: string,
  { patch, ifMatch, links }: { patch: DomainPatch; ifMatch: IfMatch; links: number },
): Promise<Domain> {
  const now = deps.clock.now()
  const before = await findToChange(tx, workspace.no, id, ifMatch)
  const after = withSettings(before, patch)
  const changes = changedFields(settingsOf(before), settingsOf(after))
  if (Object.keys(changes.after).length === 0) return domainOf(before, links)
  if (before.case_sensitive !== after.case_sensitive) {
    await rekeySlugs(tx, before.no, after.case_sensitive === 1)
  }
  after.version = before.version + 1
  after.updated_at = Math.max(now, before.updated_at)
  await updateOwned(tx, before, after)
  await record(tx, actor, 'domain.updated', after, now, changes)
  return domainOf(after, links)
}

/** Removes a domain. @throws AppError DOMAIN_NOT_FOUND, PRECONDITION_FAILED, DOMAIN_IN_USE */
async function remove(
  deps: DomainServiceDeps,
  tx: Transaction,
  { workspace, actor }: Writer,
  id: string,
  ifMatch: IfMatch,
): Promise<void> {
  const row = await findToChange(tx, workspace.no, id, ifMatch)
  const links = (await countLinks(tx, [row.no])).get(row.no) ?? 0
  if (links > 0) throw new AppError('DOMAIN_IN_USE', { params: { links } })
  await dropOwned(tx, [row.no])
  const { host, status } = row
  await record(tx, actor, 'domain.deleted', row, deps.clock.now(), { before: { host, status } })
}

async function findToChange(
  tx: Transaction,
  workspaceNo: number,
  id: string,
  ifMatch: IfMatch,
): Promise<DomainRow> {
  await tx.lockWorkspace(workspaceNo)
  await tx.lock('domains')
  const row = await findOwned(tx, workspaceNo, id)
  if (!ifMatch(row.version)) throw new AppError('PRECONDITION_FAILED')
  return row
}

/** A row with other settings. @throws AppError VALIDATION_FAILED (URL_LOOPS_BACK) */
function withSettings<R extends Omit<DomainRow, 'no'>>(before: R, patch: DomainPatch): R {
  const row = { ...before }
  const loops: string[] = []
  for (const name of ['root_url', 'not_found_url', 'expired_url'] as const) {
    const url: Destination | null | undefined = patch[name]
    if (url === undefined) continue
    // The domain may not be served yet, and the URL check knows only hosts that are.
    if (url !== null && hostOfUrl(new URL(url.target)) === row.host) loops.push(name)
    row[name] = url === null ? null : url.given
  }
  if (loops.length > 0) {
    throw invalid(...loops.map((field) => ({ field, code: 'URL_LOOPS_BACK' }) as const))
  }
  const { case_sensitive, brand, robots } = patch
  if (case_sensitive !== undefined) row.case_sensitive = Number(case_sensitive ?? false)
  if (robots !== undefined) row.robots = robots ?? 'all'
  if (brand !== undefined) {
    // Member by member: absent ones stay (RFC 7396).
    const own = { name: null, logo: null, color: null, ...(brand && brandOf(row)) }
    const { name = own.name, color = own.color } = brand ?? {}
    const logo = (brand?.logo === undefined ? own.logo : brand.logo) || null
    const isBlank = name === null && logo === null && color === null
    row.brand = isBlank ? null : JSON.stringify({ name, logo, color })
  }
  row.slug_settings = withSlugFields(row.slug_settings, patch)
  for (const name of ['apple_app_site_association', 'assetlinks'] as const) {
    const value = patch[name]
    if (value !== undefined) row[name] = value === null ? null : JSON.stringify(value)
  }
  return row
}
