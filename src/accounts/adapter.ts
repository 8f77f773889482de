import {
  type CleanedWhere,
  type CustomAdapter,
  createAdapterFactory,
  type DBAdapterInstance,
} from 'better-auth/adapters'
import { type Expression, type ExpressionBuilder, type Kysely, type SqlBool, sql } from 'kysely'
import { AppError } from '../errors/index.ts'
import type { Storage, Transaction } from '../storage/index.ts'
import { hasUsers, holdUser, lockUsers } from '../users/index.ts'
import { columnOf, dataOf, rowOf, tableOf } from './tables.ts'

type Row = Record<string, unknown>
/** The tables' names and columns come from `tables.ts`, not from types. */
type AnyDb = Kysely<Record<string, Row>>
type Builder = ExpressionBuilder<Record<string, Row>, string>

/**
 * better-auth on our storage: its reads see committed state, its writes go through the one writer
 * and share commits and syncs with everybody's. What is asked to happen once (`consumeOne`) or
 * under a condition (`incrementOne`) is a single statement.
 */
export function createAuthDatabase(storage: Pick<Storage, 'read' | 'write'>): DBAdapterInstance {
  const read = storage.read.db as unknown as AnyDb
  const write = <T>(work: (db: AnyDb, tx: Transaction) => Promise<T>): Promise<T> =>
    storage.write((tx) => work(tx.db as unknown as AnyDb, tx))

  const adapter = {
    async create({ model, data }) {
      const values = rowOf(model, data)
      const row = await write(async (db, tx) => {
        if ('email_key' in values) {
          // Whether the instance is claimed was asked before: the last one may have gone since.
          await lockUsers(tx)
          if (!(await hasUsers(tx))) throw new AppError('SIGN_UP_CLOSED')
        }
        // Who has deleted their account meanwhile is nobody whom anything could belong to.
        const { user_id: owner } = values
        if (typeof owner === 'string' && !(await holdUser(tx, owner))) {
          throw new AppError('SIGN_IN_REQUIRED')
        }
        return db.insertInto(tableOf(model)).values(values).returningAll().executeTakeFirstOrThrow()
      })
      return dataOf(model, row) as typeof data
    },

    async findOne<T>({ model, where }: { model: string; where: CleanedWhere[] }) {
      const row = await read
        .selectFrom(tableOf(model))
        .selectAll()
        .where((eb) => conditionOf(eb, model, where))
        .limit(1)
        .executeTakeFirst()
      return row === undefined ? null : (dataOf(model, row) as T)
    },

    async findMany<T>({ model, where = [], limit, sortBy, offset }: FindMany) {
      let query = read
        .selectFrom(tableOf(model))
        .selectAll()
        .where((eb) => conditionOf(eb, model, where))
        .limit(limit)
      if (sortBy !== undefined) {
        query = query.orderBy(columnOf(model, sortBy.field), sortBy.direction)
      }
      if (offset !== undefined) query = query.offset(offset)
      return (await query.execute()).map((row) => dataOf(model, row) as T)
    },

    async count({ model, where = [] }) {
      const { count } = await read
        .selectFrom(tableOf(model))
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where((eb) => conditionOf(eb, model, where))
        .executeTakeFirstOrThrow()
      return Number(count)
    },

    async update<T>({ model, where, update }: { model: string; where: CleanedWhere[]; update: T }) {
      const values = rowOf(model, update as Row)
      const row = await write(async (db, tx) => {
        if ('email_key' in values) await lockUsers(tx)
        const found = await firstOf(db, model, where).executeTakeFirst()
        if (found === undefined || (await isTaken(db, values, found.id))) return undefined
        // The conditions once more: on another node it may have been changed since.
        return db
          .updateTable(tableOf(model))
          .set(values)
          .where('id', '=', found.id)
          .where((eb) => conditionOf(eb, model, where))
          .returningAll()
          .executeTakeFirst()
      })
      return row === undefined ? null : (dataOf(model, row) as T)
    },

    async updateMany({ model, where, update }) {
      const values = rowOf(model, update)
      const { numUpdatedRows } = await write((db) =>
        db
          .updateTable(tableOf(model))
          .set(values)
          .where((eb) => conditionOf(eb, model, where))
          .executeTakeFirstOrThrow(),
      )
      return Number(numUpdatedRows)
    },

    async delete({ model, where }) {
      await write((db) =>
        db
          .deleteFrom(tableOf(model))
          .where((eb) => conditionOf(eb, model, where))
          .execute(),
      )
    },

    async deleteMany({ model, where }) {
      const { numDeletedRows } = await write((db) =>
        db
          .deleteFrom(tableOf(model))
          .where((eb) => conditionOf(eb, model, where))
          .executeTakeFirstOrThrow(),
      )
      return Number(numDeletedRows)
    },

    async consumeOne<T>({ model, where }: { model: string; where: CleanedWhere[] }) {
      const row = await write((db) =>
        db
          .deleteFrom(tableOf(model))
          .where((eb) => eb('id', 'in', firstOf(db, model, where)))
          .returningAll()
          .executeTakeFirst(),
      )
      return row === undefined ? null : (dataOf(model, row) as T)
    },

    async incrementOne<T>({ model, where, increment, set = {} }: IncrementOne) {
      const values: Row = rowOf(model, set)
      for (const [field, delta] of Object.entries(increment)) {
        const column = columnOf(model, field)
        values[column] = sql`coalesce(${sql.ref(column)}, 0) + ${delta}`
      }
      const row = await write((db) =>
        db
          .updateTable(tableOf(model))
          .set(values)
          .where((eb) => eb('id', 'in', firstOf(db, model, where)))
          .returningAll()
          .executeTakeFirst(),
      )
      return row === undefined ? null : (dataOf(model, row) as T)
    },
  } satisfies CustomAdapter

  return createAdapterFactory({
    config: { adapterId: 'slugline', supportsNumericIds: false, transaction: false },
    adapter: () => adapter,
  })
}

interface FindMany {
  model: string
  where?: CleanedWhere[] | undefined
  limit: number
  sortBy?: { field: string; direction: 'asc' | 'desc' } | undefined
  offset?: number | undefined
}

interface IncrementOne {
  model: string
  where: CleanedWhere[]
  increment: Record<string, number>
  set?: Record<string, unknown> | undefined
}

/** The id of one row that fits, as a condition for a statement that must touch no other. */
function firstOf(db: AnyDb, model: string, where: CleanedWhere[]) {
  return db
    .selectFrom(tableOf(model))
    .select('id')
    .where((eb) => conditionOf(eb, model, where))
    .limit(1)
}

/** Whether a row would get the address of somebody else, who had it first. */
async function isTaken(db: AnyDb, { email_key }: Row, id: unknown): Promise<boolean> {
  if (email_key === undefined) return false
  const other = await db
    .selectFrom('users')
    .select('id')
    .where('email_key', '=', email_key)
    .where('id', '<>', id)
    .executeTakeFirst()
  return other !== undefined
}

/** All that are joined by AND hold, and one of those that are joined by OR, where there are any. */
function conditionOf(
  eb: Builder,
  model: string,
  where: readonly CleanedWhere[],
): Expression<SqlBool> {
  const either = where.filter(({ connector }) => connector === 'OR')
  const all = where.filter(({ connector }) => connector !== 'OR')
  const conditions = all.map((one) => comparison(eb, model, one))
  if (either.length > 0) conditions.push(eb.or(either.map((one) => comparison(eb, model, one))))
  return eb.and(conditions)
}

const OPERATORS = { eq: '=', ne: '!=', lt: '<', lte: '<=', gt: '>', gte: '>=' } as const

function comparison(
  eb: Builder,
  model: string,
  { field, operator, value }: CleanedWhere,
): Expression<SqlBool> {
  const column = columnOf(model, field)
  // An address is compared by its key, without regard to case.
  const [name, plain] =
    column === 'email' && typeof value === 'string'
      ? ['email_key', value.toLowerCase()]
      : [column, storable(value)]
  if (operator === 'in' || operator === 'not_in') {
    const values = Array.isArray(plain) ? plain : [plain]
    if (values.length === 0) return operator === 'in' ? sql<SqlBool>`1 = 0` : sql<SqlBool>`1 = 1`
    return eb(name, operator === 'in' ? 'in' : 'not in', values)
  }
  const sign = OPERATORS[operator as keyof typeof OPERATORS]
  if (sign === undefined) throw new Error(`better-auth asks for ${operator}, which nothing needs`)
  if (plain === null) return eb(name, sign === '=' ? 'is' : 'is not', null)
  return eb(name, sign, plain)
}

function storable(value: unknown): unknown {
  if (value instanceof Date) return value.getTime()
  if (typeof value === 'boolean') return value ? 1 : 0
  return value
}
