import { createPause } from '../../lib/base/turn.ts'
import { AppError } from '../../lib/errors/index.ts'
import { DEFAULT_DOMAIN, type Domains } from '../../model/domains/index.ts'
import {
  rehearse as rehearseTransaction,
  type Storage,
  type Transaction,
} from '../../platform/storage/index.ts'
import { type JobRun, Postponed } from '../jobs/index.ts'
import { addressOn, createLinkSchemas, type LinkService } from '../links/index.ts'
import { type CheckedRecord, createRecordCheck, type ReadOptions } from './check.ts'
import type { DateOrders } from './formats/index.ts'
import { assertHashed, unhashed, withHashes } from './passwords.ts'
import type { ReadRecord } from './records.ts'
import {
  advanced,
  checkpointOf,
  firstOf,
  hasChanged,
  type ImportResult,
  type ImportState,
  isConflict,
  NONE,
  omittedOf,
  type Position,
  ReadLater,
  resultOf,
  startState,
} from './state.ts'
import { type ImportRow, insertRows, insertSeen, pretendCounts, seenOf } from './store.ts'
import { type OnConflict, type Outcome, type ReadyRecord, writeRecords } from './write.ts'

/** Dependencies of running imports. */
export interface ImportDeps {
  storage: Storage
  links: LinkService
  domains: Domains
  /** The most rows of refused, and of skipped records that are kept. */
  rowsMax?: number | undefined
}

/** Records per transaction: a redirect waits for at most one transaction. */
export const BATCH = 100
/** The most reasons and warnings of a row. */
const REASONS_MAX = 50
/** The default of `rowsMax`. */
const ROWS_MAX = 10_000

/** The input of every import. */
export interface ImportInput extends ReadOptions {
  on_conflict: OnConflict
  /** Absent: makes another link. */
  if_exists?: 'return' | undefined
  dry_run: boolean
}

/** Records in order, and the position after them. */
export interface Batch {
  records: ReadRecord[]
  position?: Position
  total?: number | null
  orders?: DateOrders | undefined
}

/** One run of an import. */
type ImportRun = JobRun<ImportInput, ImportState>

/** Imports the batches of `read`, from where an earlier run ended. */
export async function importRecords(
  deps: ImportDeps,
  run: ImportRun,
  read: (state: ImportState) => AsyncIterable<Batch>,
): Promise<ImportResult> {
  const { rowsMax = ROWS_MAX } = deps
  const step = createStep({ ...deps, rowsMax }, run)
  let state = run.job.state ?? startState(run.job.input)
  for (;;) {
    try {
      for await (const batch of read(state)) state = await step(state, batch)
    } catch (error) {
      if (!(error instanceof ReadLater)) throw error
      throw new Postponed(error.ms, { ...state, position: error.position })
    }
    if (state.phase === 'write') return resultOf(state, rowsMax)
    if (state.conflicts > 0) {
      const omitted = omittedOf({ ...NONE, refused: state.conflicts }, rowsMax)
      const result = { ...NONE, refused: state.conflicts, ...omitted }
      await deps.storage.write((tx) => run.checkpoint(tx, { result }))
      throw new AppError('IMPORT_CONFLICT')
    }
    const { total, orders } = state
    state = { ...startState(run.job.input), phase: 'write', total, orders }
  }
}

function createStep(
  deps: ImportDeps & { rowsMax: number },
  { job, signal, caller, checkpoint }: ImportRun,
) {
  const { storage, links, domains, rowsMax } = deps
  const { input, workspaceNo } = job
  const check = createRecordCheck(
    createLinkSchemas(links.rules),
    { domains, workspaceNo },
    input,
    job.startedAt,
  )
  const keysOf = (record: ReadyRecord) => takenBy(record, domains)

  async function checkAll(batch: Batch, from: number): Promise<CheckedRecord[]> {
    const checked: CheckedRecord[] = []
    const pause = createPause()
    for (const [i, record] of batch.records.entries()) {
      await pause()
      checked.push(check(record, from + i, batch.orders))
    }
    return checked
  }

  /** Writes records as their importer may now. */
  async function write(tx: Transaction, records: readonly ReadyRecord[]): Promise<Outcome[]> {
    const { on_conflict: onConflict, if_exists: ifExists } = input
    const ctx = { links, domains, caller: await caller(tx), onConflict, ifExists }
    return writeRecords(ctx, tx, records)
  }

  /** The outcomes of a dry run: the transaction is rolled back. */
  async function rehearse(records: readonly ReadyRecord[], state: ImportState): Promise<Outcome[]> {
    const seen = await seenOf(storage.read, job.id, records.flatMap(keysOf))
    const marked = records.map((record) => ({
      ...record,
      isRepeated: keysOf(record).some((key) => seen.has(key)),
    }))
    return rehearseTransaction(
      storage,
      async (tx) => {
        const { created: links, addresses } = state
        await pretendCounts(tx, workspaceNo, { links, addresses })
        return write(tx, marked)
      },
      { workspaceNo },
    )
  }

  /** In the transaction that writes them. */
  async function writeHashed(tx: Transaction, records: readonly ReadyRecord[]): Promise<Outcome[]> {
    const outcomes = await write(tx, records)
    assertHashed(outcomes)
    return outcomes
  }

  const hashing = {
    rehearse: (records: readonly ReadyRecord[]) =>
      rehearseTransaction(storage, (tx) => write(tx, records), { workspaceNo }),
    hash: (password: string) => links.hashPassword(password, { no: workspaceNo }),
  }

  return async (state: ImportState, batch: Batch): Promise<ImportState> => {
    signal.throwIfAborted()
    const isDry = input.dry_run || state.phase === 'check'
    const checked = await checkAll(batch, state.n + 1)
    const records = isDry ? checked.map(unhashed) : await withHashes(checked, hashing)
    const rehearsed = isDry ? await rehearse(records, state) : undefined
    return storage.write(
      async (tx) => {
        const outcomes = rehearsed ?? (await writeHashed(tx, records))
        const next = advanced(state, batch, outcomes)
        // In the check phase only conflicts are reported; if there is none, everything is reported
        // later.
        const reported = state.phase === 'check' ? outcomes.filter(isConflict) : outcomes
        const kept = firstOf(reported, state, rowsMax)
        await insertRows(
          tx,
          kept.map((outcome) => rowOf(job.id, isDry ? withoutLink(outcome) : outcome)),
        )
        const made = outcomes.filter(({ status }) => status === 'created')
        const keys = made.flatMap(({ record }) => keysOf(record))
        if (isDry) await insertSeen(tx, job.id, keys)
        const folders = outcomes.flatMap(foldersOf)
        await checkpoint(tx, { ...checkpointOf(next, rowsMax), folders })
        return next
      },
      { workspaceNo },
    )
  }
}

/** The keys that must be unique among links. */
function takenBy({ fields }: ReadyRecord, cases: Pick<Domains, 'isCaseSensitive'>): string[] {
  if (fields === null) return []
  const { slug, domain = DEFAULT_DOMAIN, external_id: externalId } = fields
  return [
    ...(slug === undefined ? [] : [`slug ${domain}/${addressOn(domain, slug.slug, cases).key}`]),
    ...(externalId === undefined || externalId === null ? [] : [`external_id ${externalId}`]),
  ]
}

/** The folders of a record and of its link: of the file, before, and after. */
function foldersOf({ record, link, folderBefore }: Outcome) {
  return [record.folder, folderBefore, link?.folder_id]
}

/** In a dry run no link is written. */
function withoutLink(outcome: Outcome): Outcome {
  return { ...outcome, link: null, versionBefore: null }
}

function rowOf(jobId: string, outcome: Outcome): ImportRow {
  const { record, status, reasons, warnings, link, versionBefore, clicksBefore } = outcome
  return {
    job_id: jobId,
    n: record.n,
    status,
    slug: link?.slug ?? record.slug,
    destination_url: record.destinationUrl,
    link_id: link?.id ?? null,
    reasons: JSON.stringify([...reasons, ...warnings].slice(0, REASONS_MAX)),
    version_before: versionBefore,
    version: hasChanged(status) ? (link?.version ?? null) : null,
    clicks_before: clicksBefore,
    undo: null,
  }
}
