import { PNG } from 'pngjs'
import { type Asker, recordChange } from '../audit/index.ts'
import type { Clock } from '../base/clock.ts'
import { AppError, invalid } from '../errors/index.ts'
import type { LogosTable, Storage, Transaction } from '../storage/index.ts'

/** A logo is made so small: on a code it takes a fifth of the side. */
export const LOGO_SIDE_MAX = 512
/** Larger images are refused before they are unpacked. */
export const IMAGE_SIDE_MAX = 4_096
export const IMAGE_BYTES_MAX = 1_048_576
/** What may be uploaded. SVG is not among it: it can hold scripts, and addresses to fetch. */
const FORMATS: readonly string[] = ['png', 'jpeg', 'webp']

/** A workspace's logo, made anew from what was uploaded. */
export type LogoRow = LogosTable

/** What an upload becomes. */
type CheckedLogo = Pick<LogosTable, 'png' | 'width' | 'height'>

export type LogoService = ReturnType<typeof createLogoService>

/** The logos of workspaces, one each. */
export function createLogoService({ storage, clock }: { storage: Storage; clock: Clock }) {
  const find = (sql: Pick<Storage['read'], 'db'>, workspaceNo: number) =>
    sql.db
      .selectFrom('logos')
      .selectAll()
      .where('workspace_no', '=', workspaceNo)
      .executeTakeFirst()

  async function record(
    tx: Transaction,
    { workspace, actor }: Asker,
    before: CheckedLogo | undefined,
    after: CheckedLogo | undefined,
  ): Promise<void> {
    const { name } = await tx.db
      .selectFrom('workspaces')
      .select('name')
      .where('no', '=', workspace.no)
      .executeTakeFirstOrThrow(() => new AppError('NOT_FOUND'))
    await recordChange(tx, actor, {
      workspaceNo: workspace.no,
      at: clock.now(),
      action: 'workspace.updated',
      target: { type: 'workspace', id: workspace.id, label: name },
      before: { logo: sizeOf(before) },
      after: { logo: sizeOf(after) },
    })
  }

  return {
    find: (workspaceNo: number): Promise<LogoRow | undefined> => find(storage.read, workspaceNo),
    /** Replaces the logo. An equal one changes nothing. */
    async set(tx: Transaction, asker: Asker, logo: CheckedLogo): Promise<LogoRow> {
      const { no } = asker.workspace
      await tx.lockWorkspace(no)
      const before = await find(tx, no)
      if (before?.png === logo.png) return before
      const row = { workspace_no: no, ...logo, updated_at: clock.now() }
      const { workspace_no: _, ...changing } = row
      await tx.db
        .insertInto('logos')
        .values(row)
        .onConflict((conflict) => conflict.column('workspace_no').doUpdateSet(changing))
        .execute()
      await record(tx, asker, before, row)
      return row
    },
    /** @throws AppError LOGO_NOT_FOUND */
    async remove(tx: Transaction, asker: Asker): Promise<void> {
      const { no } = asker.workspace
      await tx.lockWorkspace(no)
      const before = await find(tx, no)
      if (before === undefined) throw new AppError('LOGO_NOT_FOUND')
      await tx.db.deleteFrom('logos').where('workspace_no', '=', no).execute()
      await record(tx, asker, before, undefined)
    },
  }
}

function sizeOf(logo: CheckedLogo | undefined): string | null {
  return logo === undefined ? null : `${logo.width} × ${logo.height}`
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/**
 * Makes a PNG of bounded size from an image in Base64. It holds pixels and nothing else: what an
 * upload carried besides is never given out. Call it outside of transactions.
 * @throws AppError VALIDATION_FAILED (INVALID_IMAGE)
 */
export async function readLogo(base64: string): Promise<CheckedLogo> {
  const bytes = Buffer.from(base64, 'base64')
  if (!BASE64.test(base64) || bytes.length === 0 || bytes.length > IMAGE_BYTES_MAX)
    throw invalidImage()
  let small: Uint8Array
  try {
    const image = new Bun.Image(bytes, { maxPixels: IMAGE_SIDE_MAX ** 2 })
    const { format, width, height } = await image.metadata()
    if (!FORMATS.includes(format) || Math.max(width, height) > IMAGE_SIDE_MAX) throw invalidImage()
    small = await image
      .resize(LOGO_SIDE_MAX, LOGO_SIDE_MAX, { fit: 'inside', withoutEnlargement: true })
      .png()
      .bytes()
  } catch {
    throw invalidImage()
  }
  // Written anew: the other library keeps colour profiles.
  const { width, height, data } = PNG.sync.read(Buffer.from(small))
  const png = new PNG({ width, height })
  data.copy(png.data)
  return { png: PNG.sync.write(png).toString('base64'), width, height }
}

function invalidImage(): AppError {
  const params = { allowed: ['PNG', 'JPEG', 'WebP'], max: IMAGE_SIDE_MAX }
  return invalid({ field: 'image', code: 'INVALID_IMAGE', params })
}
