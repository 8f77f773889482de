import type { z } from '@hono/zod-openapi'
import { type Api, endpoint } from '../../http/index.ts'
import { withContext } from '../../lib/base/verbs.ts'
import { AppError, type ErrorDetail } from '../../lib/errors/index.ts'
import type { Sql, Transaction } from '../../platform/storage/index.ts'
import { changedFields, type Fields, type Writer, writerOf } from '../audit/index.ts'
import {
  bearsLogo,
  CONTRAST_MIN,
  contrastOf,
  DEFAULT_STYLE,
  QR_SIZE,
  type QrStyle,
  smallestSize,
} from './drawing.ts'
import { type QrContext, recordSetting } from './logo.ts'
import { QrStyleSchema } from './schemas.ts'

const STYLE = {
  path: '/api/v1/workspace/qr-style',
  tag: 'Workspace',
  success: { status: 200, description: 'The style.', schema: QrStyleSchema },
} as const

/** How a workspace's codes look where a request says nothing else. */
export type WorkspaceStyle = z.output<typeof QrStyleSchema>

export type QrStyleService = ReturnType<typeof createQrStyleService>

/** The styles of workspaces, one each. */
export function createQrStyleService(context: QrContext) {
  return withContext(context, { find: ({ storage }, no: number) => styleOf(storage.read, no), set })
}

/** Replaces the style. An equal one changes nothing. */
async function set(
  { clock }: QrContext,
  tx: Transaction,
  caller: Writer,
  style: WorkspaceStyle,
): Promise<void> {
  const { no } = caller.workspace
  await tx.lockWorkspace(no)
  const { before, after } = changedFields(await styleOf(tx, no), style)
  if (Object.keys(after).length === 0) return
  const workspace = tx.db.updateTable('workspaces').where('no', '=', no)
  await workspace.set({ qr_style: JSON.stringify(style) }).execute()
  await recordSetting(tx, caller, clock.now(), prefixed(before), prefixed(after))
}

/** @throws AppError NOT_FOUND: the workspace has been deleted meanwhile */
async function styleOf({ db }: Pick<Sql, 'db'>, no: number): Promise<WorkspaceStyle> {
  const { qr_style } = await db
    .selectFrom('workspaces')
    .select('qr_style')
    .where('no', '=', no)
    .executeTakeFirstOrThrow(() => new AppError('NOT_FOUND'))
  return { ...DEFAULT_STYLE, logo: false, ...(qr_style !== null && JSON.parse(qr_style)) }
}

const prefixed = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [`qr_${name}`, value]))

/** The dashboard's endpoints of a workspace's style of QR codes. */
export function registerQrStyleRoutes(
  api: Pick<Api, 'add'>,
  { qrStyles }: { qrStyles: QrStyleService },
): void {
  endpoint(api, {
    ...STYLE,
    method: 'get',
    scope: 'links:read',
    operationId: 'getQrStyle',
    summary: 'Get the style of QR codes',
    handler: async ({ caller }) => ({
      status: 200,
      body: await qrStyles.find(caller.workspace.no),
    }),
  })

  endpoint(api, {
    ...STYLE,
    method: 'put',
    scope: 'links:write',
    operationId: 'setQrStyle',
    summary: 'Set the style of QR codes',
    description: 'The style of codes whose request has no other parameters.',
    body: QrStyleSchema,
    errors: ['QR_UNREADABLE'],
    handler(call) {
      const { body } = call
      assertReadable(body, body.logo)
      return call.mutate(async (tx) => {
        await qrStyles.set(tx, writerOf(call), body)
        return { status: 200, body }
      })
    },
  })
}

/** @throws AppError QR_UNREADABLE: cameras would not read it */
export function assertReadable(style: QrStyle, hasLogo: boolean): void {
  const details: ErrorDetail[] = []
  if (contrastOf(style) < CONTRAST_MIN) {
    details.push({ field: 'dark', code: 'LOW_CONTRAST', params: { min: CONTRAST_MIN } })
  }
  if (hasLogo && !bearsLogo(style.correction)) {
    details.push({ field: 'logo', code: 'LOGO_TOO_LARGE', params: { allowed: ['Q', 'H'] } })
  }
  if (details.length > 0) throw new AppError('QR_UNREADABLE', { details })
}

/** @throws AppError QR_UNREADABLE: a picture of this size has too few pixels for each module */
export function assertLarge(text: string, style: QrStyle, size: number): void {
  const min = smallestSize(text, style)
  if (size >= min) return
  throw new AppError('QR_UNREADABLE', {
    details: [{ field: 'size', code: 'OUT_OF_RANGE', params: { min, max: QR_SIZE.max } }],
  })
}
