import { assertPermits } from '../../../http/index.ts'
import { createPause, nextTurn } from '../../../lib/base/turn.ts'
import { AppError, type ErrorDetail, type ErrorParts } from '../../../lib/errors/index.ts'
import { rehearse, savepoint, type Transaction } from '../../../platform/storage/index.ts'
import type { LinkContext, LinkWriter } from '../context.ts'
import { createTogether } from '../create.ts'
import type { LinkSchemas, Prepared, PreparedCreate } from '../fields.ts'
import { get, type LinkName } from '../find.ts'
import { findOrCreate, type IfExists } from '../find-or-create.ts'
import { type PreparedRestore, prepareRestore, restore } from '../history.ts'
import { remove } from '../remove.ts'
import type { Link } from '../schemas.ts'
import { update, upsert } from '../update.ts'
import { changesIn, createOperationCheck, fieldOf, isChange, type Operation } from './operations.ts'
import { LINK_BYTES_MAX, RESTORE_REACH, tooManyOperations } from './schemas.ts'

/** Links of a large transaction after which visits are served in between. */
export const TURN = 16

/** The result of an operation. */
export type Outcome = { index: number; status: number } & ({ link?: Link } | { error: ErrorParts })

/** How operations are run. */
interface Options {
  /** All or none. */
  atomic: boolean
  /** Of creations. */
  if_exists?: IfExists | null
}

/** Validated operations with hashed passwords, or why they are refused. */
type PreparedBulk = readonly ({ operation: Hashed } | { refusal: Refusal })[]

interface Refusal extends ErrorParts {
  status: number
}
type Hashed = Operation extends infer O
  ? O extends { fields: infer F extends object }
    ? Omit<O, 'fields'> & { fields: Prepared<F> }
    : O extends { op: 'restore' }
      ? O & { prepared: PreparedRestore }
      : O
  : never

/** Runs many operations on links in one transaction. */
export function createBulk(ctx: LinkContext, schemas: () => LinkSchemas) {
  let check: ReturnType<typeof createOperationCheck> | undefined

  const bulk = {
    /**
     * Validates the operations, and hashes the passwords of those that will not be refused.
     * @throws AppError BULK_FAILED
     */
    async prepare(
      caller: LinkWriter,
      operations: readonly unknown[],
      options: Options,
    ): Promise<PreparedBulk> {
      check ??= createOperationCheck(schemas())
      const checkOne = check
      const passwords = new Map<number, string>()
      const prepared: PreparedBulk[number][] = []
      const pause = createPause()
      for (const [index, raw] of operations.entries()) {
        await pause()
        try {
          const { scopes } = caller
          // Before the link is read: a key that only creates links may not learn about others.
          if (scopes && isChange(raw)) assertPermits({ scopes }, 'links:write')
          const changes = await changesIn(raw, (name) => findOne(ctx, caller, name))
          const operation = checkOne(caller.workspace.no, changes, index)
          const password = 'fields' in operation ? operation.fields.password : null
          if (typeof password === 'string') passwords.set(index, password)
          prepared.push(await preparedOf(ctx, caller, operation, index))
        } catch (error) {
          prepared.push({ refusal: refusalOf(error, index) })
        }
      }
      if (passwords.size > 0 && !caller.isDryRun)
        await hashAccepted(caller, prepared, passwords, options)
      return prepared
    },

    /**
     * Runs the operations in order, independently. `atomic`: all or none.
     * @throws AppError BULK_FAILED, VALIDATION_FAILED
     */
    async run(
      tx: Transaction,
      caller: LinkWriter,
      prepared: PreparedBulk,
      { atomic, if_exists }: Options,
    ): Promise<Outcome[]> {
      const refusals = prepared.flatMap((each) => ('refusal' in each ? each.refusal : []))
      if (atomic && refusals.length > 0) throw bulkFailed(refusals)
      await tx.lockWorkspace(caller.workspace.no)
      const outcomes: Outcome[] = []
      const assertShort = createFoundBound()
      const pause = createPause()
      for (let next = 0; next < prepared.length; next = outcomes.length) {
        const some = prepared.slice(next, next + TURN)
        const made = if_exists ? undefined : await createSome(ctx, tx, caller, some)
        for (const [i, each] of some.entries()) {
          const index = next + i
          const link = made?.get(each)
          const outcome = link ? { status: 201, link } : await outcomeOf(index, each)
          assertShort(each, outcome, index)
          await pause()
          outcomes.push({ index, ...outcome })
        }
        await nextTurn()
      }
      return outcomes

      async function outcomeOf(index: number, each: PreparedBulk[number]) {
        if ('refusal' in each) return refused(each.refusal)
        const work = (part: Transaction) =>
          runOne(ctx, part, caller, each.operation, if_exists ?? undefined)
        try {
          return await (atomic ? work(tx) : savepoint(tx, work))
        } catch (error) {
          const refusal = refusalOf(error, index, each.operation)
          if (atomic) throw bulkFailed([refusal])
          return refused(refusal)
        }
      }
    },
  }
  return bulk

  /** Refused operations must not cost a hash, so a trial without hashes comes first. */
  async function hashAccepted(
    caller: LinkWriter,
    prepared: PreparedBulk[number][],
    passwords: ReadonlyMap<number, string>,
    options: Options,
  ): Promise<void> {
    const outcomes = await rehearse(ctx.storage, (tx) => bulk.run(tx, caller, prepared, options), {
      workspaceNo: caller.workspace.no,
    })
    const hashes = new Map<string, string>()
    for (const [index, password] of passwords) {
      const outcome = outcomes[index]
      if (outcome !== undefined && 'error' in outcome) {
        prepared[index] = { refusal: { status: outcome.status, ...outcome.error } }
        continue
      }
      const hash = hashes.get(password) ?? (await ctx.hashPassword(password, caller.workspace))
      hashes.set(password, hash)
      const each = prepared[index] as { operation: { fields: Prepared<object> } }
      each.operation.fields.password_hash = hash
    }
  }
}

/** An operation without its password; a restore with its history, or why that is refused. */
async function preparedOf(
  ctx: LinkContext,
  caller: LinkWriter,
  operation: Operation,
  index: number,
): Promise<PreparedBulk[number]> {
  if (operation.op !== 'restore') return { operation: unhashed(operation) }
  const { name, version } = operation
  try {
    const prepared = await prepareRestore(ctx, caller, name, version, RESTORE_REACH)
    return { operation: { ...operation, prepared } }
  } catch (error) {
    return { refusal: refusalOf(error, index, { ...operation, prepared: null }) }
  }
}

/** The link that an operation names, if it is there. */
async function findOne(ctx: LinkContext, caller: LinkWriter, name: LinkName) {
  return get(ctx, caller, name).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'LINK_NOT_FOUND') return undefined
    throw error
  })
}

/** Undefined: other operations are among them, or one of them conflicts. */
async function createSome(
  ctx: LinkContext,
  tx: Transaction,
  caller: LinkWriter,
  some: PreparedBulk,
) {
  const fields = new Map<PreparedBulk[number], PreparedCreate>()
  for (const each of some) {
    if ('refusal' in each) continue
    if (each.operation.op !== 'create') return undefined
    fields.set(each, each.operation.fields)
  }
  return createTogether(ctx, tx, caller, fields)
}

/** Bounds the existing links that creations return: they can't be weighed before. */
function createFoundBound() {
  let bytes = 0
  return (
    each: PreparedBulk[number],
    outcome: { status: number; link?: Link },
    index: number,
  ): void => {
    const isFound = 'operation' in each && each.operation.op === 'create' && outcome.status === 200
    if (isFound) bytes += Buffer.byteLength(JSON.stringify(outcome.link))
    if (bytes > LINK_BYTES_MAX) throw tooManyOperations(index)
  }
}

function refused({ status, ...error }: Refusal) {
  return { status, error }
}

/** The operation without its password, whose hash is added later. */
function unhashed(operation: Exclude<Operation, { op: 'restore' }>): Hashed {
  if (operation.op === 'delete') return operation
  const { password, ...fields } = operation.fields
  const without = { ...operation, fields } as Hashed & { fields: Prepared<object> }
  if (password !== undefined) without.fields.password_hash = password === null ? null : ''
  return without
}

async function runOne(
  ctx: LinkContext,
  tx: Transaction,
  caller: LinkWriter,
  operation: Hashed,
  ifExists: IfExists,
): Promise<{ status: number; link?: Link }> {
  switch (operation.op) {
    case 'create': {
      const { link, isNew } = await findOrCreate(ctx, tx, caller, operation.fields, ifExists)
      return { status: isNew ? 201 : 200, link }
    }
    case 'update': {
      const { name, fields, ifMatch } = operation
      return { status: 200, link: await update(ctx, tx, caller, name, fields, ifMatch) }
    }
    case 'delete':
      await remove(ctx, tx, caller, operation.name, operation.ifMatch)
      return { status: 204 }
    case 'restore': {
      const { name, prepared, ifMatch } = operation
      return { status: 200, link: await restore(ctx, tx, caller, name, prepared, ifMatch) }
    }
    case 'upsert': {
      const { externalId, fields } = operation
      const { link, isNew } = await upsert(ctx, tx, caller, externalId, fields, () => true)
      return { status: isNew ? 201 : 200, link }
    }
  }
}

/** Why an operation is refused, with the paths of faults. Unexpected errors are rethrown. */
function refusalOf(error: unknown, index: number, operation?: Hashed): Refusal {
  if (!(error instanceof AppError) || error.status >= 500) throw error
  const { status, code, params, suggestions } = error
  const details = operation === undefined ? error.details : detailsOf(error, index, operation)
  return { status, code, params, details, suggestions }
}

/** The details of a refusal by the database, as faults of the operation's fields. */
function detailsOf(
  { code, details }: AppError,
  index: number,
  operation: Hashed,
): readonly ErrorDetail[] {
  const at = (field: string) => fieldOf(index, field)
  switch (code) {
    case 'LINK_NOT_FOUND': {
      const isById = 'name' in operation && typeof operation.name === 'string'
      return [{ field: at(isById ? 'id' : 'external_id'), code }]
    }
    case 'PRECONDITION_FAILED':
      return [{ field: at('if_match'), code }]
    case 'EXTERNAL_ID_TAKEN':
      return [{ field: at(operation.op === 'restore' ? '' : 'link.external_id'), code }]
    case 'PLAN_LIMIT_REACHED':
      return (details ?? []).map((detail) => ({ ...detail, field: at('') }))
    case 'SLUG_TAKEN':
      if (operation.op === 'restore') return [{ field: at(''), code }]
      if (details === undefined) return [{ field: at('link.slug'), code }]
  }
  const within = operation.op === 'restore' ? '' : 'link.'
  return (details ?? []).map((detail) => ({ ...detail, field: at(`${within}${detail.field}`) }))
}

function bulkFailed(refusals: readonly Refusal[]): AppError {
  return new AppError('BULK_FAILED', {
    details: refusals.flatMap(({ details }) => details ?? []),
    suggestions: refusals[0]?.suggestions,
  })
}
