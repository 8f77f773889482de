import type { Actor } from '../audit/index.ts'
import { createPause } from '../base/turn.ts'
import { DEFAULT_DOMAIN, type Domains } from '../domains/index.ts'
import { AppError } from '../errors/index.ts'
import type { Checkpoint, JobRun } from '../jobs/index.ts'
import {
  addressOn,
  createLinkSchemas,
  type LinkPrincipal,
  type LinkService,
} from '../links/index.ts'
import type { Plans } from '../plans/service.ts'
import {
  rehearse as rehearseTransaction,
  type Storage,
  type Transaction,
} from '../storage/index.ts'
import { type CheckedRecord, createRecordCheck, type ReadOptions } from './check.ts'
import { assertHashed, unhashed, withHashes } from './passwords.ts'
import type { ReadRecord } from './records.ts'
import { type ImportRow, insertRows, insertSeen, planIdOf, pretendCounts, seenOf } from './store.ts'
import { type OnConflict, type Outcome, type ReadyRecord, writeRecords } from './write.ts'

/** Dependencies of running imports. */
export interface ImportDeps {
  storage: Storage
  links: LinkService
  domains: Domains
  plans: Pick<Plans, 'of'>
}

/** The input of every import. */
export interface ImportInput extends ReadOptions {
  on_conflict: OnConflict
  dry_run: boolean
  /** Folders whose links the person who started it can't see. */
  hiddenFolders?: readonly string[] | undefined
}

/** The job's result. */
export interface ImportResult {
  created: number
  updated: number
  skipped: number
  refused: number
  /** Clicks that came along; absent: none. */
  imported_clicks?: number
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
  const step = await createStep(deps, run)
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

/** The workspace and plan that links are created for. */
export async function callerFor(
  { storage, plans }: Pick<ImportDeps, 'storage' | 'plans'>,
  { workspaceNo, actor }: { workspaceNo: number; actor: Actor },
): Promise<LinkPrincipal> {
  const planId = await planIdOf(storage.read, workspaceNo)
  if (planId === undefined) throw new AppError('NOT_FOUND')
  return { workspace: { no: workspaceNo, plan: plans.of(planId) }, actor }
}

async function createStep(deps: ImportDeps, { job, signal, checkpoint }: ImportRun) {
  const { storage, links, domains } = deps
  const { input, workspaceNo } = job
  const { hiddenFolders } = input
  const caller = { ...(await callerFor(deps, job)), hiddenFolders }
  const check = createRecordCheck(createLinkSchemas(links.rules), { domains, workspaceNo }, input)
  const ctx = { links, domains, caller, onConflict: input.on_conflict }
  const keysOf = (record: ReadyRecord) => takenBy(record, domains)

  /** The outcomes of a dry run: the transaction is rolled back. */
  async function rehearse(records: readonly ReadyRecord[], state: ImportState): Promise<Outcome[]> {
    const seen = await seenOf(storage.read, job.id, records.flatMap(keysOf))
    const marked = records.map((record) => ({
      ...record,
      isRepeated: keysOf(record).some((key) => seen.has(key)),
    }))
    const outcomes = await rehearseTransaction(
      storage,
      async (tx) => {
        const { created: links, addresses } = state
        await pretendCounts(tx, workspaceNo, { links, addresses })
        return writeRecords(ctx, tx, marked)
      },
      { workspaceNo },
    )
    return outcomes.map((outcome) => ({ ...outcome, link: null, versionBefore: null }))
  }

  /** In the transaction that writes them. */
  async function writeHashed(tx: Transaction, records: readonly ReadyRecord[]): Promise<Outcome[]> {
    const outcomes = await writeRecords(ctx, tx, records)
    assertHashed(outcomes)
    return outcomes
  }

  const hashing = {
    rehearse: (records: readonly ReadyRecord[]) =>
      rehearseTransaction(storage, (tx) => writeRecords(ctx, tx, records), { workspaceNo }),
    hash: (password: string) => links.hashPassword(password, caller.workspace),
  }

  return async (state: ImportState, batch: Batch): Promise<ImportState> => {
    signal.throwIfAborted()
    const isDry = input.dry_run || state.phase === 'check'
    const checked: CheckedRecord[] = []
    const pause = createPause()
    for (const [i, record] of batch.records.entries()) {
      await pause()
      checked.push(check(record, state.n + i + 1))
    }
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
          reported.map((outcome) => rowOf(job.id, outcome)),
        )
        const made = outcomes.filter(({ status }) => status === 'created')
        const keys = made.flatMap(({ record }) => keysOf(record))
        if (isDry) await insertSeen(tx, job.id, keys)
        await checkpoint(tx, checkpointOf(next))
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
    const clicks = hasChanged(status) ? record.fields?.imported_clicks : 0
    if (clicks) next.imported_clicks = (next.imported_clicks ?? 0) + clicks
    if (isConflict(outcome)) next.conflicts++
  }
  return next
}

function checkpointOf(state: ImportState): Checkpoint<ImportState> {
  if (state.phase === 'check') return { state, progress: { total: state.total } }
  const { n: done, total, refused: failed } = state
  return { state, progress: { done, total, failed }, result: resultOf(state) }
}

function resultOf(state: ImportState): ImportResult {
  const { created, updated, skipped, refused, imported_clicks } = state
  return { created, updated, skipped, refused, ...(imported_clicks && { imported_clicks }) }
}

/** Whether a record made a link, or changed one. */
function hasChanged(status: Outcome['status']): boolean {
  return status === 'created' || status === 'renamed' || status === 'updated'
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

function rowOf(jobId: string, outcome: Outcome): ImportRow {
  const { record, status, reasons, warnings, link, versionBefore, clicksBefore } = outcome
  return {
    job_id: jobId,
    n: record.n,
    status,
    slug: link?.slug ?? record.slug,
    destination_url: record.destinationUrl,
    link_id: link?.id ?? null,
    reasons: JSON.stringify([...reasons, ...warnings]),
    version_before: versionBefore,
    version: hasChanged(status) ? (link?.version ?? null) : null,
    clicks_before: clicksBefore,
    undo: null,
  }
}
