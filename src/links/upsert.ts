import { AppError } from '../errors/index.ts'
import type { IfMatch } from '../http/types.ts'
import type { Transaction } from '../storage/index.ts'
import type { LinkAsker, LinkContext } from './context.ts'
import { create } from './create.ts'
import type { PreparedCreate } from './fields.ts'
import { findLinkByExternalId } from './find.ts'
import type { Link } from './schemas.ts'
import { change } from './update.ts'

/**
 * Creates the link with an external id, or changes the existing one; absent fields stay.
 * @throws AppError PRECONDITION_FAILED, SLUG_TAKEN, PLAN_LIMIT_REACHED, VALIDATION_FAILED
 */
export async function upsert(
  ctx: LinkContext,
  tx: Transaction,
  asker: LinkAsker,
  externalId: string,
  fields: PreparedCreate,
  ifMatch: IfMatch,
): Promise<{ link: Link; isNew: boolean }> {
  const { no } = asker.workspace
  // Two concurrent requests would both create one, and the second would fail.
  await tx.lockWorkspace(no)
  const row = await findLinkByExternalId(tx, externalId, asker)
  const wanted = { ...fields, external_id: externalId }
  if (row === undefined) return { link: await create(ctx, tx, asker, wanted), isNew: true }
  if (!ifMatch(row.version)) throw new AppError('PRECONDITION_FAILED')
  const found = { row, isDeleted: false }
  return { link: await change(ctx, tx, asker, found, wanted, 'link.updated'), isNew: false }
}
