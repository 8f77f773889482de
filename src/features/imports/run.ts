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
import { type CheckedRecord, createRecordCheck } from './check.ts'
import { assertHashed, unhashed, withHashes } from './passwords.ts'
import {
  advanced,
  type Batch,
  checkpointOf,
  firstOf,
  hasChanged,
  type ImportInput,
  type ImportResult,
  type ImportState,
  isConflict,
  NONE,
  omittedOf,
  ReadLater,
  resultOf,
  startState,
} from './state.ts'
import { type ImportRow, insertRows, insertSeen, pretendCounts, seenOf } from './store.ts'
import { type Outcome, type ReadyRecord, writeRecords } from './write.ts'

/** Dependencies of running imports. */
export interface ImportDeps {
  storage: Storage
  links: LinkService
  domains: Domains
  /** The most rows of refused, and of skipped records that are kept. */
  rowsMax?: number | undefined
  /** How many changes of a link are undone at most; of more, none is. */
  undoReach?: number | undefined
}

/** Records per transaction: a redirect waits for at most one transaction. */
export const BATCH = 100
/** The most reasons and warnings of a row. */
const REASONS_MAX = 50
/** The default of `rowsMax`. */
const ROWS_MAX = 10_000

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
    // The last step is paid for, too.
    await run.beginStep(state)
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
  { job, caller, checkpoint, beginStep, take, wait }: ImportRun,
) {
  const { storage, links, domains, rowsMax } = deps
  const { input, workspaceNo } = job
  const check = createRecordCheck(
    createLinkSchemas(links.rules),
    { domains, workspaceNo },
    input,
    job.startedAt,
  )
  const keysOf = (record: ReadyRecord) => takenBy(record, domains).map(([, key]) => key)

  /** Writes records as their importer may now. */
  async function write(tx: Transaction, records: readonly ReadyRecord[]): Promise<Outcome[]> {
    const { on_conflict: onConflict, if_exists: ifExists } = input
    const { folder_id: folder } = input
    const ctx = { links, domains, caller: await caller(tx), onConflict, ifExists, folder }
    return writeRecords(ctx, tx, records)
  }

  /** The outcomes of a dry run: the transaction is rolled back. */
  async function rehearse(records: readonly ReadyRecord[], state: ImportState): Promise<Outcome[]> {
    const seen = await seenOf(storage.read, job.id, records.flatMap(keysOf))
    const marked = records.map((record) => {
      const taken = takenBy(record, domains).find(([, key]) => seen.has(key))
      return { ...record, repeats: taken?.[0] }
    })
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
    take,
    hash: (password: string) => links.hashPassword(password, { no: workspaceNo }),
  }

  /** Stores the results of records, in the transaction that writes them. */
  async function save(tx: Transaction, outcomes: readonly Outcome[], made: Made) {
    const { state, next, isDry } = made
    // In the check phase only conflicts are reported; if there is none, everything is reported later.
    const reported = state.phase === 'check' ? outcomes.filter(isConflict) : outcomes
    const kept = firstOf(reported, state, rowsMax)
    await insertRows(
      tx,
      kept.map((outcome) => rowOf(job.id, isDry ? withoutLink(outcome) : outcome)),
    )
    const created = outcomes.filter(({ status }) => status === 'created')
    if (isDry) {
      const keys = created.flatMap(({ record }) => keysOf(record))
      await insertSeen(tx, job.id, keys)
    }
    await checkpoint(tx, { ...checkpointOf(next, rowsMax), folders: outcomes.flatMap(foldersOf) })
    return next
  }

  return async (state: ImportState, batch: Batch): Promise<ImportState> => {
    const checked = await checkAll(check, batch, state.n + 1)
    if (input.dry_run || state.phase === 'check') {
      await beginStep(state)
      const outcomes = await rehearse(checked.map(unhashed), state)
      const next = advanced(state, batch, outcomes, 0)
      const made = { state, next, isDry: true }
      return storage.write((tx) => save(tx, outcomes, made), { workspaceNo })
    }
    const hashes = new Map<string, string>()
    let now = state
    let done = 0
    do {
      await beginStep(now)
      const { records, waitMs } = await withHashes(checked.slice(done), hashes, hashing)
      if (records.length === 0 && waitMs > 0) {
        await wait(waitMs, now)
        continue
      }
      const from = { state: now, done }
      now = await storage.write(
        async (tx) => {
          const outcomes = await writeHashed(tx, records)
          const next = advanced(from.state, batch, outcomes, from.done)
          return save(tx, outcomes, { state: from.state, next, isDry: false })
        },
        { workspaceNo },
      )
      done += records.length
    } while (done < checked.length)
    return now
  }
}

async function checkAll(
  check: ReturnType<typeof createRecordCheck>,
  batch: Batch,
  from: number,
): Promise<CheckedRecord[]> {
  const checked: CheckedRecord[] = []
  const pause = createPause()
  for (const [i, record] of batch.records.entries()) {
    await pause()
    checked.push(check(record, from + i, batch.orders))
  }
  return checked
}

/** A step: the state before and after it. */
interface Made {
  state: ImportState
  next: ImportState
  isDry: boolean
}

/** The keys that must be unique among links, each with its field, in the order of their checks. */
function takenBy(
  { fields }: ReadyRecord,
  cases: Pick<Domains, 'isCaseSensitive'>,
): [field: NonNullable<ReadyRecord['repeats']>, key: string][] {
  if (fields === null) return []
  const { slug, domain = DEFAULT_DOMAIN, aliases = [], external_id: externalId } = fields
  const keyOf = (domainNo: number, text: string) =>
    `slug ${domainNo}/${addressOn(domainNo, text, cases).key}`
  const taken: ReturnType<typeof takenBy> = []
  if (slug !== undefined) taken.push(['slug', keyOf(domain, slug.slug)])
  for (const alias of aliases) {
    taken.push(['aliases', keyOf(alias.domainNo ?? domain, alias.slug)])
  }
  if (typeof externalId === 'string') taken.push(['external_id', `external_id ${externalId}`])
  return taken
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
