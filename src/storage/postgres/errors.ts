import { StorageUnavailable } from '../storage.ts'

/**
 * SQLSTATE classes and codes (https://www.postgresql.org/docs/current/errcodes-appendix.html) that
 * speak of the server or the way to it, not of us: connections, passwords, resources, operators,
 * read-only copies, time-outs, and what a retry has not mended.
 */
const UNAVAILABLE = /^(?:08|28|3D|53|57|58|F0|XX|25006|40001|40P01|40003|55P03)/

/** Of two transactions that stand in each other's way, this one was undone: to be run again. */
const RETRIED = new Set(['40001', '40P01'])

/** A statement that the server refuses: our fault. Says what, and nothing of the data. */
export class RefusedStatement extends Error {
  override name = 'RefusedStatement'
  constructor(
    readonly code: string,
    readonly constraint: string | undefined,
  ) {
    super(`PostgreSQL refused a statement: ${code}${constraint ? ` (${constraint})` : ''}`)
  }
}

/** What went wrong with a connection: it can't be used any more. */
export class ConnectionLost extends StorageUnavailable {}

/** A transaction that gave way to another one. */
export class GaveWay extends StorageUnavailable {}

/**
 * What a store's caller gets to see of a failure of PostgreSQL. Neither addresses nor statements
 * nor values are in it: only a code.
 */
export function asPostgresError(error: unknown): Error {
  if (error instanceof StorageUnavailable || error instanceof RefusedStatement) return error
  const { code, severity, constraint } = error as {
    code?: unknown
    severity?: unknown
    constraint?: string
  }
  // Only what the server says has a severity; all else is the connection's or the driver's.
  if (typeof severity !== 'string' || typeof code !== 'string') {
    return new ConnectionLost(
      `No connection to PostgreSQL (${typeof code === 'string' ? code : 'lost'})`,
    )
  }
  if (RETRIED.has(code)) return new GaveWay(`PostgreSQL: ${code}`)
  if (/^(?:08|57P)/.test(code) || severity === 'FATAL' || severity === 'PANIC') {
    return new ConnectionLost(`PostgreSQL: ${code}`)
  }
  if (UNAVAILABLE.test(code) || code === '57014')
    return new StorageUnavailable(`PostgreSQL: ${code}`)
  return new RefusedStatement(code, constraint)
}
