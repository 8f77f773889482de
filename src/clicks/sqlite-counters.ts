import type { Database } from 'bun:sqlite'
import {
  databaseFiles,
  openSqlite,
  SEQS_PER_WORKSPACE,
  type SqliteConnection,
} from '../storage/index.ts'
import type { Batch, CounterStore } from './counting.ts'
import { addMonths, type ClickLimits, purgeMonths, readQuotas } from './months.ts'
import type { Position } from './segments.ts'
import type { LinkTally } from './tally.ts'

const DAY_MS = 86_400_000
/** Days before today whose visitors are kept, for clicks that are counted late. */
const VISITOR_DAYS = 2
const ADMITTED_AT_ONCE = 20_000
const SWEPT_AT_ONCE = 2_000
const PURGED_AT_ONCE = 5_000
/** A WAL is checkpointed when so many pages wait. */
const WAL_PAGES = 1_000

/** Opens the counters of a data directory, which one process at a time writes. */
export function openSqliteCounters(dataDir: string, limits: ClickLimits = {}): CounterStore {
  const files = databaseFiles(dataDir)
  const main = openSqlite(files.main, { cacheBytes: 2_097_152 })
  const counters = openSqlite(files.counters, { cacheBytes: 16_777_216 })
  const store = createSqliteCounters(counters, main, limits)
  // The links' WAL is checkpointed here, too, so that the serving process doesn't have to.
  const checkpointBoth = (pages: number) => {
    checkpoint(main, pages)
    checkpoint(counters, pages)
  }
  return {
    ...store,
    async maintain(deleted, now) {
      const isLeft = await store.maintain(deleted, now)
      checkpointBoth(WAL_PAGES)
      return isLeft
    },
    close() {
      checkpointBoth(0)
      main.close()
      counters.close()
    },
  }
}

/** Counters in a file; `main`, which has the links, is only read. */
export function createSqliteCounters(
  counters: SqliteConnection,
  main: SqliteConnection,
  limits: ClickLimits,
): CounterStore {
  const statements = prepare(counters.raw)
  const links = createLinkRows(counters.raw, main.raw)
  return {
    batch: { size: 200_000, bytes: 268_435_456 },
    watermark: () => statements.watermark.get() ?? { segment: 0, offset: 0 },
    quotas: (months) => readQuotas(limits, { main: main.db, counters: counters.db }, months),
    async apply(batch) {
      const { from, to } = batch
      const isApplied = await transaction(counters.raw, () => {
        const place = [to.segment, to.offset, from.segment, from.offset] as const
        if (statements.moveWatermark.run(...place).changes === 0) return false
        write(statements, links.admitOne, batch)
        return addMonths(counters.db, 0, batch)
      })
      // A segment that is counted may be deleted, so the counts must survive a power cut: a
      // checkpoint syncs the WAL first.
      if (isApplied && to.segment > from.segment) checkpoint(counters, 0)
      return isApplied
    },
    async maintain(deleted, now) {
      const isLeft = await links.follow(deleted)
      statements.purge.run(Math.floor(now / DAY_MS) - VISITOR_DAYS, PURGED_AT_ONCE)
      await purgeMonths(counters.db, now)
      return isLeft
    },
    close() {},
  }
}

type Statements = ReturnType<typeof prepare>

function prepare(counters: Database) {
  return {
    watermark: counters.prepare<Position, []>(
      'SELECT segment, "offset" FROM journal_watermark WHERE id = 1',
    ),
    moveWatermark: counters.prepare(
      `UPDATE journal_watermark SET segment = ?, "offset" = ?
       WHERE id = 1 AND segment = ? AND "offset" = ?`,
    ),
    addVisitor: counters.prepare(
      'INSERT INTO link_visitors (day, link_seq, visitor) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    ),
    addClicks: counters.prepare(
      `UPDATE link_counters SET total = total + ?1 + ?2, human = human + ?1, bot = bot + ?2,
         unique_visitors = unique_visitors + ?3,
         last_clicked_at = max(iif(last_clicked_at <= ?5, last_clicked_at, 0), min(?4, ?5))
       WHERE link_seq = ?6`,
    ),
    purge: counters.prepare(
      `DELETE FROM link_visitors WHERE (day, link_seq, visitor) IN
         (SELECT day, link_seq, visitor FROM link_visitors WHERE day < ? LIMIT ?)`,
    ),
  }
}

/** Visitors first, then links, both in the order of their tables, so that neighbours share a page. */
function write(
  { addVisitor, addClicks }: Statements,
  admitOne: (seq: number) => boolean,
  { tally: { links, others }, latest }: Batch,
): void {
  const onOtherDays = new Map<number, number>()
  for (const { seq, day, visitor } of others) {
    const added = addVisitor.run(day, seq, visitor).changes
    onOtherDays.set(seq, (onOtherDays.get(seq) ?? 0) + added)
  }
  const seqs = Float64Array.from(links.keys()).sort()
  const unique = new Uint32Array(seqs.length)
  for (let i = 0; i < seqs.length; i++) {
    const seq = seqs[i] as number
    const { day, visitors } = links.get(seq) as LinkTally
    if (day === -1) continue
    let added = 0
    if (typeof visitors === 'string') added = addVisitor.run(day, seq, visitors).changes
    else for (const visitor of visitors) added += addVisitor.run(day, seq, visitor).changes
    unique[i] = added
  }
  for (let i = 0; i < seqs.length; i++) {
    const seq = seqs[i] as number
    const { human, bot, lastClickedAt } = links.get(seq) as LinkTally
    const seen = (unique[i] as number) + (onOtherDays.get(seq) ?? 0)
    const added = () => addClicks.run(human, bot, seen, lastClickedAt, latest, seq).changes > 0
    // Without a row the link is new, or it was deleted since.
    if (!added() && admitOne(seq)) added()
  }
}

function prepareLinkRows(counters: Database, main: Database) {
  return {
    addRow: counters.prepare(
      'INSERT INTO link_counters (link_seq, workspace_no) VALUES (?, ?) ON CONFLICT DO NOTHING',
    ),
    removeRow: counters.prepare('DELETE FROM link_counters WHERE link_seq = ?'),
    watermarkOf: counters.prepare<{ link_seq: number }, [number]>(
      'SELECT link_seq FROM counter_watermarks WHERE workspace_no = ?',
    ),
    setWatermark: counters.prepare(
      `INSERT INTO counter_watermarks (workspace_no, link_seq) VALUES (?1, ?2)
       ON CONFLICT (workspace_no) DO UPDATE SET link_seq = ?2`,
    ),
    rowsAfter: counters.prepare<{ link_seq: number }, [number, number]>(
      'SELECT link_seq FROM link_counters WHERE link_seq > ? ORDER BY link_seq LIMIT ?',
    ),
    workspaces: main.prepare<{ no: number; links_made: number }, []>(
      'SELECT no, links_made FROM workspaces WHERE links_made > 0',
    ),
    // A deleted link keeps its counters for as long as it can be restored.
    linksBetween: main.prepare<{ seq: number }, [number, number, number]>(
      `SELECT seq FROM links WHERE seq > ?1 AND seq <= ?2
       UNION ALL SELECT seq FROM deleted_links WHERE seq > ?1 AND seq <= ?2 ORDER BY seq LIMIT ?3`,
    ),
    dataVersion: main.prepare<{ data_version: number }, []>('PRAGMA data_version'),
  }
}

/** Keeps a row of counters for every link, and for no other. */
function createLinkRows(counters: Database, main: Database) {
  const { addRow, removeRow, watermarkOf, setWatermark, rowsAfter, workspaces, ...statements } =
    prepareLinkRows(counters, main)
  const { linksBetween, dataVersion } = statements
  let admittedVersion = -1
  let sweptVersion = -1
  let sweep: { version: number; after: number } | undefined

  const exists = (seq: number) => linksBetween.all(seq - 1, seq, 1).length > 0

  async function remove(seqs: readonly number[]): Promise<void> {
    if (seqs.length === 0) return
    await transaction(counters, () => {
      for (const seq of seqs) removeRow.run(seq)
    })
  }

  /** Adds rows of zeros for new links. True: there are more. */
  function admit(): Promise<boolean> {
    return transaction(counters, () => {
      let left = ADMITTED_AT_ONCE
      for (const { no, links_made } of workspaces.all()) {
        if (left <= 0) break
        const last = no * SEQS_PER_WORKSPACE + links_made
        const first = watermarkOf.get(no)?.link_seq ?? no * SEQS_PER_WORKSPACE
        if (first >= last) continue
        const rows = linksBetween.all(first, last, left)
        for (const { seq } of rows) addRow.run(seq, no)
        // When all were read, links that were deleted in between are passed, too.
        setWatermark.run(no, rows.length < left ? last : (rows.at(-1)?.seq ?? last))
        left -= rows.length
      }
      return left <= 0
    })
  }

  /** Looks for deleted links in the next rows; begins a round after the links have changed. */
  async function sweepNext(version: number): Promise<void> {
    if (sweep === undefined && version === sweptVersion) return
    sweep ??= { version, after: 0 }
    const rows = rowsAfter.all(sweep.after, SWEPT_AT_ONCE)
    const last = rows.at(-1)?.link_seq
    if (last !== undefined) {
      const found = linksBetween.all(sweep.after, last, Number.MAX_SAFE_INTEGER)
      const alive = new Set(found.map(({ seq }) => seq))
      await remove(rows.map(({ link_seq }) => link_seq).filter((seq) => !alive.has(seq)))
      sweep.after = last
    }
    if (rows.length === SWEPT_AT_ONCE) return
    sweptVersion = sweep.version
    sweep = undefined
  }

  return {
    /** Adds the row of one link. False: it was deleted. */
    admitOne(seq: number): boolean {
      if (!exists(seq)) return false
      addRow.run(seq, Math.floor(seq / SEQS_PER_WORKSPACE))
      return true
    },
    /** See `maintain` of {@link CounterStore}. */
    async follow(deleted: readonly number[]): Promise<boolean> {
      await remove(deleted.filter((seq) => !exists(seq)))
      const version = dataVersion.get()?.data_version ?? 0
      const isLeft = version !== admittedVersion && (await admit())
      if (!isLeft) admittedVersion = version
      await sweepNext(version)
      return isLeft
    },
  }
}

async function transaction<T>(database: Database, work: () => T | Promise<T>): Promise<T> {
  database.run('BEGIN IMMEDIATE')
  try {
    const result = await work()
    database.run('COMMIT')
    return result
  } catch (error) {
    // SQLite may have rolled back already, as it does when the disk is full.
    if (database.inTransaction) database.run('ROLLBACK')
    throw error
  }
}

/** Copies the WAL into the file as far as readers allow, when more than `pages` wait. */
function checkpoint({ raw }: SqliteConnection, pages: number): void {
  const wal = raw.query('PRAGMA wal_checkpoint(NOOP)').get() as {
    log: number
    checkpointed: number
  }
  if (wal.log - wal.checkpointed > pages) raw.run('PRAGMA wal_checkpoint(PASSIVE)')
}
