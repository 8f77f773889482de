import type { ServiceContext } from '../../http/service-context.ts'
import { withContext } from '../../lib/base/verbs.ts'
import { AppError } from '../../lib/errors/index.ts'
import type { CheckedImage } from '../../lib/validation/image.ts'
import type { LogosTable, Sql, Transaction } from '../../platform/storage/index.ts'
import { type Fields, recordChange, type Writer } from '../audit/index.ts'

/** Logos are scaled down to this side; on a code they take a fifth of its side. */
export const LOGO_SIDE_MAX = 512

export type QrContext = Pick<ServiceContext, 'storage' | 'clock'>

/** A workspace's logo, re-encoded from the upload. */
export type LogoRow = LogosTable

export type LogoService = ReturnType<typeof createLogoService>

/** The logos of workspaces, one each. */
export function createLogoService(context: QrContext) {
  return withContext(context, {
    find: ({ storage }, workspaceNo: number) => logoOf(storage.read, workspaceNo),
    set,
    remove,
  })
}

function logoOf({ db }: Pick<Sql, 'db'>, no: number): Promise<LogoRow | undefined> {
  return db.selectFrom('logos').selectAll().where('workspace_no', '=', no).executeTakeFirst()
}

/** Replaces the logo; an equal one changes nothing. */
async function set(
  { clock }: QrContext,
  tx: Transaction,
  caller: Writer,
  logo: CheckedImage,
): Promise<LogoRow> {
  const { no } = caller.workspace
  await tx.lockWorkspace(no)
  const before = await logoOf(tx, no)
  if (before?.png === logo.png) return before
  const row = { workspace_no: no, ...logo, updated_at: clock.now() }
  const { workspace_no: _, ...changing } = row
  await tx.db
    .insertInto('logos')
    .values(row)
    .onConflict((conflict) => conflict.column('workspace_no').doUpdateSet(changing))
    .execute()
  await recordSetting(tx, caller, clock.now(), sizeOf(before), sizeOf(row))
  return row
}

/** @throws AppError LOGO_NOT_FOUND */
async function remove({ clock }: QrContext, tx: Transaction, caller: Writer): Promise<void> {
  const { no } = caller.workspace
  await tx.lockWorkspace(no)
  const before = await logoOf(tx, no)
  if (before === undefined) throw new AppError('LOGO_NOT_FOUND')
  await tx.db.deleteFrom('logos').where('workspace_no', '=', no).execute()
  await recordSetting(tx, caller, clock.now(), sizeOf(before), sizeOf(undefined))
}

function sizeOf(logo: CheckedImage | undefined): Fields {
  return { logo: logo === undefined ? null : `${logo.width} × ${logo.height}` }
}

/** Records a change of the workspace's QR codes. @throws AppError NOT_FOUND */
export async function recordSetting(
  tx: Transaction,
  { workspace, actor }: Writer,
  at: number,
  before: Fields,
  after: Fields,
): Promise<void> {
  const { name } = await tx.db
    .selectFrom('workspaces')
    .select('name')
    .where('no', '=', workspace.no)
    .executeTakeFirstOrThrow(() => new AppError('NOT_FOUND'))
  const target = { type: 'workspace' as const, id: workspace.id, label: name }
  const change = { workspaceNo: workspace.no, at, target, before, after }
  await recordChange(tx, actor, { ...change, action: 'workspace.updated' })
}
