import type { Transaction } from '../storage/index.ts'
import type { LinkAsker, LinkContext } from './context.ts'
import { create } from './create.ts'
import type { CreateFields, LinkFields, PatchFields, Prepared } from './types.ts'
import { type IfMatch, update } from './update.ts'

/** Hashes a new link's password. @throws AppError what `create` would throw */
export function prepareCreate(ctx: LinkContext, asker: LinkAsker, fields: CreateFields) {
  return withHash(ctx, asker, fields, (tx, prepared) => create(ctx, tx, asker, prepared))
}

/** Hashes the password of a patch. @throws AppError what `update` would throw */
export function preparePatch(
  ctx: LinkContext,
  asker: LinkAsker,
  id: string,
  fields: PatchFields,
  ifMatch: IfMatch,
) {
  return withHash(ctx, asker, fields, (tx, prepared) => {
    return update(ctx, tx, asker, id, prepared, ifMatch)
  })
}

/**
 * Hashing takes a core tens of milliseconds, so a request that will be refused must not get that
 * far: `write` runs first in a transaction that is undone.
 */
async function withHash<F extends LinkFields>(
  ctx: LinkContext,
  asker: LinkAsker,
  { password, ...fields }: F,
  write: (tx: Transaction, prepared: Prepared<F>) => Promise<unknown>,
): Promise<Prepared<F>> {
  if (password === undefined) return fields
  if (password === null) return { ...fields, password_hash: null }
  const undone = new Error('Undone on purpose')
  const rehearsal = ctx.storage.write(
    async (tx) => {
      await write(tx, { ...fields, password_hash: '' })
      throw undone
    },
    { workspaceNo: asker.workspace.no },
  )
  await rehearsal.catch((error) => {
    if (error !== undone) throw error
  })
  return { ...fields, password_hash: await ctx.hashPassword(password, asker.workspace) }
}
