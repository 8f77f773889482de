import { DEFAULT_DOMAIN, type Domains } from '../domains/index.ts'
import { AppError } from '../errors/index.ts'
import type { Checkpoint, JobRun } from '../jobs/index.ts'
import { addressOn, createLinkSchemas, type LinkService } from '../links/index.ts'
import {
  rehearse as rehearseTransaction,
  type Storage,
  type Transaction,
} from '../storage/index.ts'
import { createRecordCheck, type ReadOptions } from './check.ts'
import { assertHashed, unhashed, withHashes } from './passwords.ts'
import type { ReadRecord } from './records.ts'
import { type ImportRow, insertRows, insertSeen, pretendCounts, seenOf } from './store.ts'
import { type OnConflict, type Outcome, type ReadyRecord, writeRecords } from './write.ts'

/** Dependencies of running imports. */
export interface ImportDeps {
  storage: Storage
  links: LinkService
  domains: Domains
}

/** The input of every import. */
export interface ImportInput extends ReadOptions {
  on_conflict: OnConflict
  dry_run: boolean
}

/** The job's result. */
export interface ImportResult {
  created: number
  updated: number
  skipped: number
  refused: number
}

/** The job's state. */
export interface ImportState extends ImportResult {
  /** `check`: searches for conflicts first, because one ends the import. */
  phase: 'check' | 'write'
  /** How many records are processed. */
  n: number
  total: number | null
  /** Addresses of the created links. */
  addresses: number
  conflicts: number
  /** The cursor of the next page of another service; null: there is none. */
  cursor?: string | null
}

/** Records in order, and the position after them. */
export interface Batch {
  records: ReadRecord[]
  cursor?: string | null
  total?: number | null
}

const NONE: ImportResult = { created: 0, updated: 0, skipped: 0, refused: 0 }

/** The initial state of an import. */
function startState(input: ImportInput): ImportState {
  const phase = input.on_conflict === 'fail' && !input.dry_run ? 'check' : 'write'
  return { ...NONE, phase, n: 0, total: null, addresses: 0, conflicts: 0 }
}

/** One run of an import. */
type ImportRun = JobRun<ImportInput, ImportState>

/** Imports the batches of `read`, from where an earlier run ended. */
export async function importRecords(
  deps: ImportDeps,
  run: ImportRun,
  read: (state: ImportState) => AsyncIterable<Batch>,
): Promise<ImportResult> {
  const step = createStep(deps, run)
  let state = run.job.state ?? startState(run.job.input)
  for (;;) {
    for await (const batch of read(state)) state = await step(state, batch)
    if (state.phase === 'write') return resultOf(state)
    if (state.conflicts > 0) {
      const result = { ...NONE, refused: state.conflicts }
      await deps.storage.write((tx) => run.checkpoint(tx, { result }))
      throw new AppError('IMPORT_CONFLICT')
    }
    state = { ...startState(run.job.input), phase: 'write', total: state.total }
  }
}

function createStep(deps: ImportDeps, { job, signal, caller, checkpoint }: ImportRun) {
  const { storage, links, domains } = deps
  const { input, workspaceNo } = job
  const check = createRecordCheck(createLinkSchemas(links.rules), { domains, workspaceNo }, input)
  const keysOf = (record: ReadyRecord) => takenBy(record, domains)

  /** Writes records as their importer may now. */
  async function write(tx: Transaction, records: readonly ReadyRecord[]): Promise<Outcome[]> {
    const ctx = { links, domains, caller: await caller(tx), onConflict: input.on_conflict }
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
    const checked = batch.records.map((record, i) => check(record, state.n + i + 1))
    const records = isDry ? checked.map(unhashed) : await withHashes(checked, hashing)
    const rehearsed = isDry ? await rehearse(records, state) : undefined
    return storage.write(
      async (tx) => {
        const outcomes = rehearsed ?? (await writeHashed(tx, records))
        const next = advanced(state, batch, outcomes)
        // In the check phase only conflicts are reported; if there is none, everything is reported
        // later.
        const reported = state.phase === 'check' ? outcomes.filter(isConflict) : outcomes
        await insertRows(
          tx,
          reported.map((outcome) => rowOf(job.id, isDry ? withoutLink(outcome) : outcome)),
        )
        const made = outcomes.filter(({ status }) => status === 'created')
        const keys = made.flatMap(({ record }) => keysOf(record))
        if (isDry) await insertSeen(tx, job.id, keys)
        await checkpoint(tx, { ...checkpointOf(next), folders: outcomes.flatMap(foldersOf) })
        return next
      },
      { workspaceNo },
    )
  }
}

function advanced(
  state: ImportState,
  { records, cursor, total = state.total }: Batch,
  outcomes: readonly Outcome[],
): ImportState {
  const next = { ...state, n: state.n + records.length, total }
  if (cursor !== undefined) next.cursor = cursor
  for (const outcome of outcomes) {
    const { status, record } = outcome
    next[status === 'renamed' ? 'created' : status]++
    if (status === 'created' || status === 'renamed') {
      next.addresses += 1 + (record.fields?.aliases?.length ?? 0)
    }
    if (isConflict(outcome)) next.conflicts++
  }
  return next
}

function checkpointOf(state: ImportState): Checkpoint<ImportState> {
  if (state.phase === 'check') return { state, progress: { total: state.total } }
  const { n: done, total, refused: failed } = state
  return { state, progress: { done, total, failed }, result: resultOf(state) }
}

function resultOf({ created, updated, skipped, refused }: ImportState): ImportResult {
  return { created, updated, skipped, refused }
}

function isConflict({ status, reasons }: Outcome): boolean {
  const isTaken = reasons.some(
    ({ field, code }) =>
      (field === 'slug' && code === 'SLUG_TAKEN') || code === 'EXTERNAL_ID_TAKEN',
  )
  return status === 'refused' && isTaken
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
  const hasChanged = status === 'created' || status === 'renamed' || status === 'updated'
  return {
    job_id: jobId,
    n: record.n,
    status,
    slug: link?.slug ?? record.slug,
    destination_url: record.destinationUrl,
    link_id: link?.id ?? null,
    reasons: JSON.stringify([...reasons, ...warnings]),
    version_before: versionBefore,
    version: hasChanged ? (link?.version ?? null) : null,
    clicks_before: clicksBefore,
    undo: null,
  }
}
