import { kyselyAdapter } from '@better-auth/kysely-adapter'
import type { BetterAuthOptions } from 'better-auth'
import type { DBAdapter, DBAdapterInstance } from 'better-auth/adapters'
import {
  CamelCasePlugin,
  type Kysely,
  type KyselyPlugin,
  OperationNodeTransformer,
  type PluginTransformQueryArgs,
  type PluginTransformResultArgs,
  type PrimitiveValueListNode,
  type ValueNode,
} from 'kysely'
import { AppError } from '../../lib/errors/index.ts'
import { emailKey } from '../../lib/validation/email.ts'
import type { Sql, Storage, Transaction } from '../../platform/storage/index.ts'
import { hasUsers, holdUser, lockUsers } from '../users/service.ts'

type Row = Record<string, unknown>

/**
 * Fields that are not stored. The browser would fetch pictures from other hosts; addresses are not
 * kept; tokens of other services aren't needed.
 */
const NOT_STORED: ReadonlySet<string> = new Set([
  'image',
  'ipAddress',
  'accessToken',
  'refreshToken',
  'idToken',
  'accessTokenExpiresAt',
  'refreshTokenExpiresAt',
  'scope',
])

/**
 * better-auth's Kysely adapter on our storage: reads see committed state, and each write is a
 * transaction of the single writer.
 */
export function createAuthDatabase(storage: Pick<Storage, 'read' | 'write'>): DBAdapterInstance {
  return (options) => {
    const read = adapterOn(storage.read, options)
    const write = <T>(
      work: (adapter: DBAdapter) => Promise<T>,
      tasks?: (tx: Transaction) => Promise<void>,
    ) =>
      storage.write(async (tx) => {
        await tasks?.(tx)
        return work(adapterOn(tx, options))
      })
    const adapter: DBAdapter = {
      ...read,
      findOne: (input) => read.findOne(byKey(input)),
      findMany: (input) => read.findMany(byKey(input)),
      count: (input) => read.count(byKey(input)),
      create: (input) =>
        write(
          (db) => db.create({ ...input, data: stored(input.data) }),
          (tx) => assertOwner(tx, input),
        ),
      update: (input) =>
        write((db) => db.update(byKey({ ...input, update: stored(input.update) }))),
      updateMany: (input) =>
        write((db) => db.updateMany(byKey({ ...input, update: stored(input.update) }))),
      delete: (input) => write((db) => db.delete(byKey(input))),
      deleteMany: (input) => write((db) => db.deleteMany(byKey(input))),
      consumeOne: (input) => write((db) => db.consumeOne(byKey(input))),
      incrementOne: (input) => write((db) => db.incrementOne(byKey(input))),
      transaction: (work) => work(adapter),
    }
    return adapter
  }
}

function adapterOn({ db }: Pick<Sql, 'db'>, options: BetterAuthOptions): DBAdapter {
  const mapped = (db as Kysely<unknown>).withPlugin(STORED_VALUES).withPlugin(new CamelCasePlugin())
  // Both databases store the same values, converted by STORED_VALUES.
  return kyselyAdapter(mapped as Kysely<Row>, { type: 'postgres', usePlural: true })(options)
}

/** @throws AppError SIGN_UP_CLOSED, SIGN_IN_REQUIRED */
async function assertOwner(
  tx: Transaction,
  { model, data }: { model: string; data: Row },
): Promise<void> {
  if (model === 'user') {
    // The last person may have left since the request was checked.
    await lockUsers(tx)
    if (!(await hasUsers(tx))) throw new AppError('SIGN_UP_CLOSED')
  }
  // The account may have been deleted in the meantime: nothing is created for it then.
  const { userId } = data
  if (typeof userId === 'string' && !(await holdUser(tx, userId))) {
    throw new AppError('SIGN_IN_REQUIRED')
  }
}

/** The stored form of a row; the case-insensitive address is the unique one. */
function stored<T extends Row>(data: T): T {
  const kept = Object.entries(data).filter(([field]) => !NOT_STORED.has(field))
  const { email } = data
  return {
    ...Object.fromEntries(kept),
    ...(typeof email === 'string' && { emailKey: emailKey(email) }),
  } as T
}

/** The same conditions, with the address compared case-insensitively. */
function byKey<T extends { where?: { field: string; value: unknown }[] | undefined }>(input: T): T {
  const where = input.where?.map((one) =>
    one.field === 'email' ? { ...one, field: 'emailKey', value: emailKey(String(one.value)) } : one,
  )
  return { ...input, ...(where !== undefined && { where }) }
}

const TIME = /_(?:at|until)$/
const FLAGS: ReadonlySet<string> = new Set([
  'email_verified',
  'two_factor_enabled',
  'instance_owner',
  'verified',
  'backed_up',
])

/** Times are stored in milliseconds, flags as 0 and 1. */
class ValueTransformer extends OperationNodeTransformer {
  protected override transformValue(node: ValueNode): ValueNode {
    return { ...node, value: storable(node.value) }
  }

  protected override transformPrimitiveValueList(
    node: PrimitiveValueListNode,
  ): PrimitiveValueListNode {
    return { ...node, values: node.values.map(storable) }
  }
}

function storable(value: unknown): unknown {
  if (value instanceof Date) return value.getTime()
  return typeof value === 'boolean' ? Number(value) : value
}

const transformer = new ValueTransformer()
const STORED_VALUES: KyselyPlugin = {
  transformQuery: ({ node }: PluginTransformQueryArgs) => transformer.transformNode(node),
  async transformResult({ result }: PluginTransformResultArgs) {
    return {
      ...result,
      rows: result.rows.map((row) => Object.fromEntries(Object.entries(row).map(read))),
    }
  },
}

function read([column, value]: [string, unknown]): [string, unknown] {
  if (value === null) return [column, null]
  if (TIME.test(column)) return [column, new Date(Number(value))]
  return [column, FLAGS.has(column) ? Number(value) === 1 : value]
}
