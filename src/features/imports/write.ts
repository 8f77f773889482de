import { createPause, nextTurn } from '../../lib/base/turn.ts'
import type { AppError, ErrorDetail } from '../../lib/errors/index.ts'
import { ValidationIssue } from '../../lib/validation/validation-issue.ts'
import { DEFAULT_DOMAIN, type Domains } from '../../model/domains/index.ts'
import { parseSlug } from '../../model/links/slug.ts'
import { type ImportStatus, savepoint, type Transaction } from '../../platform/storage/index.ts'
import {
  addressOn,
  findLinkAt,
  findLinkByExternalId,
  type Link,
  type LinkService,
  type LinkWriter,
  type PreparedCreate,
  TURN,
  type Warning,
} from '../links/index.ts'
import { reasonsOf, refusalOf } from './refusals.ts'

/** What to do with a record whose slug or external id is taken. */
export const CONFLICTS = ['skip', 'update', 'rename', 'fail'] as const
export type OnConflict = (typeof CONFLICTS)[number]

/** A validated record, ready to be written. */
export interface ReadyRecord {
  n: number
  /** The slug in the file, for the report. */
  slug: string | null
  destinationUrl: string | null
  /** The id of the folder in the file. */
  folder: string | null
  /** Null: it is refused because of its faults. */
  fields: PreparedCreate | null
  faults: ErrorDetail[]
  /** Only a link that has a password already may get its other fields. */
  lacksPassword?: boolean | undefined
  /** In a dry run: the field in which it has a value of an earlier record. */
  repeats?: 'slug' | 'external_id' | 'aliases' | undefined
}

/** The result of a record. */
export interface Outcome {
  record: ReadyRecord
  status: ImportStatus
  reasons: ErrorDetail[]
  /** Warnings about the link. */
  warnings: Warning[]
  link: Pick<Link, 'id' | 'slug' | 'version' | 'folder_id'> | null
  /** The folder of a changed link before. */
  folderBefore: string | null
  versionBefore: number | null
  clicksBefore: number | null
}

/** Dependencies of writing. */
interface WriteContext {
  links: Pick<LinkService, 'create' | 'createTogether' | 'findOrCreate' | 'update' | 'warningsOf'>
  domains: Pick<Domains, 'isCaseSensitive'>
  caller: LinkWriter
  onConflict: OnConflict
  ifExists: 'return' | undefined
  /** Chosen for all records: without it, a link would be seen by more people than it was meant for. */
  folder: string | undefined
}

/** Writes records in order; many together if none of them conflicts. */
export async function writeRecords(
  ctx: WriteContext,
  tx: Transaction,
  records: readonly ReadyRecord[],
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  let isClear = true
  const pause = createPause()
  while (outcomes.length < records.length) {
    const some = records.slice(outcomes.length, outcomes.length + TURN)
    // After a conflict more are likely, and single writes are cheaper then.
    const links = isClear ? await createSome(ctx, tx, some) : undefined
    const ends: Outcome[] = []
    for (const record of some) {
      await pause()
      const link = links?.get(record)
      ends.push(link ? created(ctx, record, link) : await writeRecord(ctx, tx, record))
    }
    isClear = ends.every(({ record, status }) => record.fields === null || status === 'created')
    outcomes.push(...ends)
    await nextTurn()
  }
  return outcomes
}

/** Undefined: one of them conflicts. */
function createSome(
  { links, caller, ifExists }: WriteContext,
  tx: Transaction,
  records: readonly ReadyRecord[],
): Promise<Map<ReadyRecord, Link> | undefined> {
  if (ifExists !== undefined) return Promise.resolve(undefined)
  const fields = new Map<ReadyRecord, PreparedCreate>()
  for (const record of records) {
    const isOpen = record.repeats === undefined && !record.lacksPassword
    if (record.fields !== null && isOpen) fields.set(record, record.fields)
  }
  return links.createTogether(tx, caller, fields)
}

function created({ links }: WriteContext, record: ReadyRecord, link: Link): Outcome {
  return { ...outcomeOf(record, 'created'), link, warnings: links.warningsOf(link) }
}

/** Writes one record by the rules of links; a refused one is rolled back. */
async function writeRecord(
  ctx: WriteContext,
  tx: Transaction,
  record: ReadyRecord,
): Promise<Outcome> {
  const { fields, faults } = record
  if (fields === null) return outcomeOf(record, 'refused', faults)
  if (record.lacksPassword) return writeProtected(ctx, tx, record, fields)
  if (record.repeats !== undefined) return repeated(ctx, record, record.repeats)
  try {
    const { link, isNew } = await savepoint(tx, (part) =>
      ctx.links.findOrCreate(part, ctx.caller, fields, ctx.ifExists),
    )
    return isNew ? created(ctx, record, link) : { ...outcomeOf(record, 'skipped'), link }
  } catch (error) {
    const refusal = refusalOf(error)
    const reasons = reasonsOf(refusal)
    if (ctx.folder === undefined && reasons.every(({ code }) => code === 'FOLDER_NOT_FOUND')) {
      // An unknown folder, of an export from another instance, is ignored with a warning.
      const { folder_id: _, ...others } = fields
      const outcome = await writeRecord(ctx, tx, { ...record, fields: others })
      return { ...outcome, reasons: [...reasons, ...outcome.reasons] }
    }
    const takenField = reasons.length === 1 ? conflictOf(reasons[0] as ErrorDetail) : undefined
    if (takenField === undefined) return outcomeOf(record, 'refused', reasons)
    return resolve(ctx, tx, record, fields, { error: refusal, reasons, takenField })
  }
}

/** Skips or updates the protected link that a record is about: it keeps its password. */
async function writeProtected(
  ctx: WriteContext,
  tx: Transaction,
  record: ReadyRecord,
  fields: PreparedCreate,
): Promise<Outcome> {
  const { slug, domain = DEFAULT_DOMAIN, external_id: externalId } = fields
  const { caller, domains, onConflict } = ctx
  const atSlug = slug && (await findLinkAt(tx, addressOn(domain, slug.slug, domains), caller))
  const other =
    atSlug ?? (externalId ? await findLinkByExternalId(tx, externalId, caller) : undefined)
  if (other !== undefined && onConflict === 'skip') {
    const { id, folder_id } = other
    const reasons: ErrorDetail[] = [
      atSlug === undefined
        ? { field: 'external_id', code: 'EXTERNAL_ID_TAKEN' }
        : { field: 'slug', code: 'SLUG_TAKEN' },
    ]
    const link = { id, slug: other.slug, folder_id, version: 0 }
    return { ...outcomeOf(record, 'skipped', reasons), link }
  }
  const isProtected = other !== undefined && other.password_hash !== null
  if (isProtected && onConflict === 'update') return update(ctx, tx, record, fields, other)
  return outcomeOf(record, 'refused', [{ field: 'password', code: 'PASSWORD_NOT_INCLUDED' }])
}

interface Conflict {
  error: AppError
  reasons: ErrorDetail[]
  takenField: 'slug' | 'external_id'
}

async function resolve(
  ctx: WriteContext,
  tx: Transaction,
  record: ReadyRecord,
  fields: PreparedCreate,
  { error, reasons, takenField }: Conflict,
): Promise<Outcome> {
  const address = addressOn(fields.domain ?? DEFAULT_DOMAIN, fields.slug?.slug ?? '', ctx.domains)
  const other =
    takenField === 'slug'
      ? await findLinkAt(tx, address, ctx.caller)
      : await findLinkByExternalId(tx, fields.external_id ?? '', ctx.caller)
  const { id = '', slug = '', folder_id = null } = other ?? {}
  const found = other === undefined ? null : { id, slug, folder_id, version: 0 }
  switch (ctx.onConflict) {
    case 'skip':
      // An address of another workspace isn't a link to skip.
      return { ...outcomeOf(record, found ? 'skipped' : 'refused', reasons), link: found }
    case 'update':
      if (other === undefined) return outcomeOf(record, 'refused', reasons)
      return update(ctx, tx, record, fields, other)
    case 'rename':
      return rename(ctx, tx, record, fields, { error, reasons })
    default:
      return { ...outcomeOf(record, 'refused', reasons), link: found }
  }
}

async function update(
  { links, caller }: WriteContext,
  tx: Transaction,
  record: ReadyRecord,
  { slug: _, domain: __, ...patch }: PreparedCreate,
  other: { id: string; version: number; imported_clicks: number; folder_id: string | null },
): Promise<Outcome> {
  try {
    const link = await savepoint(tx, (part) =>
      links.update(part, caller, other.id, patch, () => true),
    )
    const { version, imported_clicks, folder_id } = other
    return {
      ...outcomeOf(record, 'updated'),
      link,
      warnings: links.warningsOf(link),
      folderBefore: folder_id,
      versionBefore: version,
      clicksBefore: imported_clicks,
    }
  } catch (error) {
    return outcomeOf(record, 'refused', reasonsOf(refusalOf(error)))
  }
}

async function rename(
  { links, caller }: WriteContext,
  tx: Transaction,
  record: ReadyRecord,
  fields: PreparedCreate,
  { error, reasons }: Pick<Conflict, 'error' | 'reasons'>,
): Promise<Outcome> {
  for (const suggestion of error.suggestions ?? []) {
    const slug = parseSlug(suggestion)
    if (slug instanceof ValidationIssue) continue
    try {
      const link = await savepoint(tx, (part) => links.create(part, caller, { ...fields, slug }))
      const warnings = links.warningsOf(link)
      return { ...outcomeOf(record, 'renamed', reasons), link, warnings }
    } catch (failure) {
      const refusal = refusalOf(failure)
      if (refusal.code !== 'SLUG_TAKEN') return outcomeOf(record, 'refused', reasonsOf(refusal))
    }
  }
  return outcomeOf(record, 'refused', reasons)
}

/** The outcome in a dry run, in which earlier records have been rolled back already. */
function repeated(
  { onConflict }: WriteContext,
  record: ReadyRecord,
  field: NonNullable<ReadyRecord['repeats']>,
): Outcome {
  const code = field === 'external_id' ? 'EXTERNAL_ID_TAKEN' : 'SLUG_TAKEN'
  const statuses = {
    skip: 'skipped',
    update: 'updated',
    // Another slug doesn't help against a taken external id.
    rename: field === 'slug' ? 'renamed' : 'refused',
    fail: 'refused',
  } as const
  const status = field === 'aliases' ? 'refused' : statuses[onConflict]
  return outcomeOf(record, status, [{ field, code }])
}

function outcomeOf(
  record: ReadyRecord,
  status: ImportStatus,
  reasons: ErrorDetail[] = [],
): Outcome {
  return {
    record,
    status,
    reasons,
    warnings: [],
    link: null,
    folderBefore: null,
    versionBefore: null,
    clicksBefore: null,
  }
}

function conflictOf({ field, code }: ErrorDetail): 'slug' | 'external_id' | undefined {
  if (code === 'SLUG_TAKEN' && field === 'slug') return 'slug'
  return code === 'EXTERNAL_ID_TAKEN' ? 'external_id' : undefined
}
