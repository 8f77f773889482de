import type { Kysely } from 'kysely'
import { type Schema, SEQS_PER_WORKSPACE, type Sql, type Storage } from '../storage/index.ts'
import type { Batch } from './counting.ts'
import type { ClickRecord } from './record.ts'
import { isBefore, type Position } from './segments.ts'

/** Larger than every month's number. */
const MONTHS = 2 ** 22
/** Rows of one statement: SQLite takes 32,766 parameters. */
const ROWS_AT_ONCE = 5_000
/** Months for which the clicks of workspaces are known, besides this one. */
const MONTHS_KEPT = 12
/** Months for which uncounted clicks are known, for a statistics process that is behind. */
const UNCOUNTED_KEPT = 2

/** `clicks_per_month` of the plans that have one, by the plans' ids. */
export type ClickLimits = Readonly<Record<string, number>>

/** A workspace's limit, and its clicks of the month that are counted. */
export interface Quota {
  limit: number
  used: number
}

/** The UTC month of a time: months since January 1970. */
export function monthOf(time: number): number {
  const date = new Date(time)
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth()
}

/** One number for the workspace of a link and a month. */
export function monthKeyOf(linkSeq: number, month: number): number {
  return Math.floor(linkSeq / SEQS_PER_WORKSPACE) * MONTHS + month
}

function monthFrom(key: number) {
  return { workspace_no: Math.floor(key / MONTHS), month: key % MONTHS }
}

const keyOf = (row: { workspace_no: number; month: number }) =>
  row.workspace_no * MONTHS + row.month

function* pages<T>(rows: readonly T[]): Generator<T[]> {
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) yield rows.slice(at, at + ROWS_AT_ONCE)
}

/** The quotas of those months whose workspace has a plan with a limit, by their keys. */
export async function readQuotas(
  limits: ClickLimits,
  db: Kysely<Schema>,
  keys: readonly number[],
): Promise<Map<number, Quota>> {
  const quotas = new Map<number, Quota>()
  const plans = Object.keys(limits)
  if (plans.length === 0) return quotas
  for (const page of pages(keys.map(monthFrom))) {
    const limited = await db
      .selectFrom('workspaces')
      .select(['no', 'plan_id'])
      .where('no', 'in', [...new Set(page.map(({ workspace_no }) => workspace_no))])
      .where('plan_id', 'in', plans)
      .execute()
    if (limited.length === 0) continue
    const planOf = new Map(limited.map(({ no, plan_id }) => [no, plan_id]))
    const rows = await db
      .selectFrom('workspace_months')
      .selectAll()
      .where('month', 'in', [...new Set(page.map(({ month }) => month))])
      .where('workspace_no', 'in', [...planOf.keys()])
      .execute()
    const used = new Map(rows.map((row) => [keyOf(row), row.clicks]))
    for (const row of page) {
      const limit = limits[planOf.get(row.workspace_no) ?? '']
      if (limit === undefined) continue
      quotas.set(keyOf(row), { limit, used: used.get(keyOf(row)) ?? 0 })
    }
  }
  return quotas
}

/**
 * Adds a batch's clicks to their months, and notes from where on a month's clicks aren't counted.
 * Call it last in the batch's transaction: it locks the rows of workspaces. False: another node has
 * counted so many meanwhile that a limit would be passed; nothing may be committed.
 */
export async function addMonths(
  db: Kysely<Schema>,
  nodeNo: number,
  { tally: { months, uncounted }, quotas, from }: Batch,
): Promise<boolean> {
  const rows = [...months]
    .map(([key, clicks]) => ({ ...monthFrom(key), clicks }))
    .sort((a, b) => a.month - b.month || a.workspace_no - b.workspace_no)
  for (const page of pages(rows)) {
    const added = await db
      .insertInto('workspace_months')
      .values(page)
      .onConflict((conflict) =>
        conflict.columns(['month', 'workspace_no']).doUpdateSet((e) => ({
          clicks: e('workspace_months.clicks', '+', e.ref('excluded.clicks')),
        })),
      )
      .returningAll()
      .execute()
    if (added.some((row) => row.clicks > (quotas.get(keyOf(row))?.limit ?? Infinity))) return false
  }
  const open = await db
    .selectFrom('uncounted_clicks')
    .select(['workspace_no', 'month'])
    .where('node_no', '=', nodeNo)
    .where('until_segment', 'is', null)
    .execute()
  const isOpen = new Set(open.map(keyOf))
  for (const key of isOpen) {
    if (!months.has(key)) continue
    const { workspace_no, month } = monthFrom(key)
    await db
      .updateTable('uncounted_clicks')
      .set({ until_segment: from.segment, until_offset: from.offset })
      .where('node_no', '=', nodeNo)
      .where('workspace_no', '=', workspace_no)
      .where('month', '=', month)
      .where('until_segment', 'is', null)
      .execute()
    isOpen.delete(key)
  }
  for (const [key, { segment, offset }] of uncounted) {
    if (isOpen.has(key)) continue
    await db
      .insertInto('uncounted_clicks')
      .values({
        ...monthFrom(key),
        node_no: nodeNo,
        from_segment: segment,
        from_offset: offset,
        until_segment: null,
        until_offset: null,
      })
      .execute()
  }
  return true
}

/** Deletes the rows of months that are long over. */
export async function purgeMonths(db: Kysely<Schema>, now: number): Promise<void> {
  const month = monthOf(now)
  await db
    .deleteFrom('workspace_months')
    .where('month', '<', month - MONTHS_KEPT)
    .execute()
  await db
    .deleteFrom('uncounted_clicks')
    .where('month', '<', month - UNCOUNTED_KEPT)
    .execute()
}

/** A workspace's clicks of the month of `now` that are counted. */
export async function clicksThisMonth(
  { read }: Pick<Storage, 'read'>,
  workspaceNo: number,
  now: number,
): Promise<number> {
  const row = await read.db
    .selectFrom('workspace_months')
    .select('clicks')
    .where('workspace_no', '=', workspaceNo)
    .where('month', '=', monthOf(now))
    .executeTakeFirst()
  return row?.clicks ?? 0
}

/** Which clicks of a node's journal are counted. */
export interface CountedClicks {
  /** Up to here it is known. */
  until: Position
  /** Whether a click that begins at `at` is counted; one before {@link until}. */
  includes(record: ClickRecord, at: Position): boolean
}

/** Reads from the counters which clicks of the node's journal are counted; a single machine is 0. */
export async function readCounted({ db }: Pick<Sql, 'db'>, nodeNo: number): Promise<CountedClicks> {
  // What is added between the two queries lies behind the watermark.
  const watermark =
    nodeNo === 0
      ? db.selectFrom('journal_watermark').select(['segment', 'offset'])
      : db.selectFrom('node_watermarks').select(['segment', 'offset']).where('node_no', '=', nodeNo)
  const until = await watermark.executeTakeFirst()
  const rows = await db
    .selectFrom('uncounted_clicks')
    .selectAll()
    .where('node_no', '=', nodeNo)
    .execute()
  const spans = Map.groupBy(
    rows.map((row) => ({
      key: keyOf(row),
      from: { segment: row.from_segment, offset: row.from_offset },
      until:
        row.until_segment === null
          ? null
          : { segment: row.until_segment, offset: row.until_offset ?? 0 },
    })),
    ({ key }) => key,
  )
  return {
    until: until ?? { segment: 0, offset: 0 },
    includes: ([, time, linkSeq], at) =>
      spans.size === 0 ||
      !spans
        .get(monthKeyOf(linkSeq, monthOf(time)))
        ?.some(({ from, until }) => !isBefore(at, from) && (until === null || isBefore(at, until))),
  }
}
