import type { Cursors } from '../../http/cursor.ts'
import { type PageQuery, pageOf } from '../../http/page.ts'
import type { ServiceContext } from '../../http/service-context.ts'
import type { Clock } from '../../lib/base/clock.ts'
import { withContext } from '../../lib/base/verbs.ts'
import { AppError } from '../../lib/errors/index.ts'
import { canonicalHost } from '../../lib/validation/host.ts'
import { formatTimestamp } from '../../lib/validation/timestamp.ts'
import type { BlockList } from '../../model/blocks/list.ts'
import { DEFAULT_DOMAIN, type Domains } from '../../model/domains/index.ts'
import {
  type BlocksTable,
  raiseRevision,
  type Storage,
  type Transaction,
} from '../../platform/storage/index.ts'
import { type Actor, INSTANCE, recordChange } from '../audit/index.ts'
import {
  blockLink,
  blockOf,
  blockOfAddress,
  createRenderer,
  findLink,
  invalidValue,
  type LinkWriter,
  parseNamed,
  unblockLink,
} from '../links/index.ts'
import type { Block, BlockInput, Report } from './schemas.ts'

/** Dependencies of the block service. */
export interface BlockServiceDeps extends Omit<ServiceContext, 'cursors'> {
  domains: Pick<Domains, 'noOf' | 'hostOf' | 'knows' | 'isCaseSensitive' | 'shortUrl'>
  /** Blocks other than of single addresses; absent in commands, which don't serve. */
  list?: Pick<BlockList, 'covering'> | undefined
}

const HOST = /^[^\s/:?#@\\]+$/

/** Blocks of all kinds, and the appeals of workspaces. */
export type BlockService = ReturnType<typeof createBlockService>

export function createBlockService(deps: BlockServiceDeps) {
  return withContext(deps, { list, create, find, remove, appeal })
}

/** Blocks older than `below`, newest first. */
async function list(
  { storage }: BlockServiceDeps,
  below: string | null,
  limit: number,
): Promise<Block[]> {
  let query = storage.read.db.selectFrom('blocks').selectAll()
  if (below !== null) query = query.where('id', '<', below)
  return toBlocks(storage, await query.orderBy('id', 'desc').limit(limit).execute())
}

/** @throws AppError VALIDATION_FAILED, LINK_NOT_FOUND, WORKSPACE_NOT_FOUND, ALREADY_BLOCKED */
async function create(
  deps: BlockServiceDeps,
  tx: Transaction,
  actor: Actor,
  input: BlockInput,
): Promise<Block> {
  const { ids, clock, domains } = deps
  const id = ids.next('blk')
  const created_at = clock.now()
  const { kind, reason } = input
  const base = { id, kind, reason, created_by: actor.name, created_at }
  let row: BlocksTable
  if (kind === 'link') {
    const named = parseNamed(input.value, domains)
    const link = await blockLink(ofLinks(deps), tx, actor, named, { id, reason, at: created_at })
    const at = 'address' in named ? named.address : null
    const domainNo = at?.domainNo ?? link?.domain_no ?? DEFAULT_DOMAIN
    const key = at?.key ?? link?.slug_key ?? ''
    const value = `${domains.hostOf(domainNo)}/${key}`
    const workspace_no = link?.workspace_no ?? null
    row = { ...base, value, link_id: link?.id ?? null, workspace_no }
    await dropReports(tx, domainNo, key)
  } else row = { ...base, link_id: null, ...(await resolve(deps, tx, input)) }
  const inserted = await tx.db
    .insertInto('blocks')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (inserted === undefined) throw new AppError('ALREADY_BLOCKED')
  await record(clock, tx, actor, 'block.created', row)
  const { workspace_no: _, ...block } = row
  return { ...block, created_at: formatTimestamp(created_at), appeals: [] }
}

function ofLinks({ domains, list = NO_BLOCKS }: BlockServiceDeps) {
  return { domains, render: createRenderer(domains, list) }
}

const NO_BLOCKS = { covering: () => null }

/** The id of the block of a value. @throws AppError as `create` does */
async function find(
  deps: BlockServiceDeps,
  tx: Transaction,
  input: Omit<BlockInput, 'reason'>,
): Promise<string | undefined> {
  const { kind } = input
  const query = tx.db.selectFrom('blocks').select('id').where('kind', '=', kind)
  if (kind !== 'link') {
    const { value } = await resolve(deps, tx, input)
    return (await query.where('value', '=', value).executeTakeFirst())?.id
  }
  const named = parseNamed(input.value, deps.domains)
  if ('address' in named) return blockOfAddress(tx, named.address)
  return (await query.where('link_id', '=', named.id).executeTakeFirst())?.id
}

/** Removes a block. False: there is none with this id. */
async function remove(
  deps: BlockServiceDeps,
  tx: Transaction,
  actor: Actor,
  id: string,
): Promise<boolean> {
  const { clock } = deps
  const row = await tx.db.selectFrom('blocks').selectAll().where('id', '=', id).executeTakeFirst()
  if (row === undefined) return false
  if (row.kind === 'link') await unblockLink(ofLinks(deps), tx, actor, row, clock.now())
  await tx.db.deleteFrom('appeals').where('block_id', '=', id).execute()
  await tx.db.deleteFrom('blocks').where('id', '=', id).execute()
  await record(clock, tx, actor, 'block.removed', row)
  return true
}

/** Stores a workspace's only appeal to a block. @throws AppError LINK_NOT_FOUND, APPEAL_REFUSED */
async function appeal(
  { clock }: BlockServiceDeps,
  tx: Transaction,
  caller: LinkWriter,
  list: BlockList,
  link_id: string,
  text: string,
): Promise<void> {
  const { workspace, actor } = caller
  const link = await findLink(tx, link_id, caller)
  if (link === undefined) throw new AppError('LINK_NOT_FOUND')
  const block = blockOf(link) ?? list.covering(link)
  if (block === null || block.id === null) throw new AppError('APPEAL_REFUSED')
  const created_at = clock.now()
  const kept = await tx.db
    .insertInto('appeals')
    .values({
      block_id: block.id,
      workspace_no: workspace.no,
      link_id,
      text,
      created_by: actor.name,
      created_at,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('block_id')
    .executeTakeFirst()
  if (kept === undefined) throw new AppError('APPEAL_REFUSED')
  await recordChange(tx, actor, {
    workspaceNo: workspace.no,
    at: created_at,
    action: 'block.appealed',
    target: { type: 'block', id: block.id, label: link.slug },
    before: {},
    after: { link_id, text },
  })
}

/**
 * Records the change in the workspace's log, or the instance's. Those of links are recorded
 * already.
 */
async function record(
  clock: Clock,
  tx: Transaction,
  actor: Actor,
  action: 'block.created' | 'block.removed',
  row: BlocksTable,
): Promise<void> {
  await raiseRevision(tx, 'blocks')
  if (row.kind === 'link') return
  const { id, kind, value, reason, workspace_no } = row
  const fields = { kind, value, reason }
  const [before, after] = action === 'block.created' ? [{}, fields] : [fields, {}]
  const target = { type: 'block' as const, id, label: value }
  const change = { at: clock.now(), action, target, before, after }
  const isThere = workspace_no !== null && (await workspaceNo(tx, value)) !== undefined
  await recordChange(tx, actor, { workspaceNo: isThere ? workspace_no : INSTANCE, ...change })
}

async function workspaceNo({ db }: Pick<Transaction, 'db'>, id: string) {
  const row = await db.selectFrom('workspaces').select('no').where('id', '=', id).executeTakeFirst()
  return row?.no
}

/** Resolves kind and value to what is blocked; `value` in its stored form. */
async function resolve(
  { domains }: BlockServiceDeps,
  tx: Transaction,
  { kind, value }: Omit<BlockInput, 'reason'>,
) {
  const text = value.trim()
  if (kind === 'host') {
    const no = domains.noOf(text)
    if (no === undefined) throw invalidValue('UNKNOWN_DOMAIN')
    return { value: domains.hostOf(no), workspace_no: null }
  }
  if (kind === 'destination_host') {
    const host = text.replace(/^\*\./, '')
    if (!HOST.test(host) || !URL.canParse(`http://${host}`)) throw invalidValue('INVALID_VALUE')
    return { value: canonicalHost(host), workspace_no: null }
  }
  const no = await workspaceNo(tx, text)
  if (no === undefined) throw new AppError('WORKSPACE_NOT_FOUND')
  return { value: text, workspace_no: no }
}

async function toBlocks(storage: Storage, rows: readonly BlocksTable[]): Promise<Block[]> {
  const ids = rows.map(({ id }) => id)
  const appeals =
    ids.length === 0
      ? []
      : await storage.read.db
          .selectFrom('appeals as a')
          .innerJoin('workspaces as w', 'w.no', 'a.workspace_no')
          .select(['a.block_id', 'w.id as workspace_id', 'a.link_id', 'a.text', 'a.created_at'])
          .where('a.block_id', 'in', ids)
          .orderBy('a.created_at')
          .execute()
  return rows.map(({ workspace_no: _, ...row }) => ({
    ...row,
    created_at: formatTimestamp(row.created_at),
    appeals: appeals
      .filter(({ block_id }) => block_id === row.id)
      .map(({ block_id: _, ...appeal }) => ({
        ...appeal,
        created_at: formatTimestamp(appeal.created_at),
      })),
  }))
}

/** What cursors of reports are bound to. */
const REPORTS = 'reports'

/** The reports of visitors, for the instance's owner. */
export function createReportService({
  storage,
  domains,
}: Pick<BlockServiceDeps, 'storage' | 'domains'>) {
  return {
    /**
     * The reported addresses, last reported first.
     * @throws AppError BAD_REQUEST (INVALID_CURSOR)
     */
    async list(cursors: Cursors, { limit, cursor }: PageQuery) {
      let query = storage.read.db.selectFrom('reports').selectAll()
      if (cursor !== undefined) {
        const [at, key, no] = cursors.decode(cursor, REPORTS) as [number, string, number]
        query = query.where((e) =>
          e(e.refTuple('reported_at', 'slug_key', 'domain_no'), '<', e.tuple(at, key, no)),
        )
      }
      const rows = await query
        .orderBy('reported_at', 'desc')
        .orderBy('slug_key', 'desc')
        .orderBy('domain_no', 'desc')
        .limit(limit + 1)
        .execute()
      const page = pageOf(rows, limit, (last) =>
        cursors.encode([last.reported_at, last.slug_key, last.domain_no], REPORTS),
      )
      const data: Report[] = page.data.map(({ domain_no, slug_key, times, text, reported_at }) => ({
        address: `${domains.hostOf(domain_no)}/${slug_key}`,
        times,
        text,
        reported_at: formatTimestamp(reported_at),
      }))
      return { ...page, data }
    },

    /** Deletes the reports about an address. @throws AppError VALIDATION_FAILED */
    async dismiss(tx: Transaction, text: string): Promise<void> {
      const named = parseNamed(text, domains)
      if (!('address' in named)) throw invalidValue('INVALID_SLUG')
      await dropReports(tx, named.address.domainNo, named.address.key)
    },
  }
}

/** Deletes the reports about an address. */
async function dropReports(tx: Transaction, domainNo: number, key: string): Promise<void> {
  await tx.db
    .deleteFrom('reports')
    .where('slug_key', '=', key)
    .where('domain_no', '=', domainNo)
    .execute()
}
