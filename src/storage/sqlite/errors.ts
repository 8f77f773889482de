import { SQLiteError } from 'bun:sqlite'
import { StorageUnavailable } from '../storage.ts'

/** Result codes (https://www.sqlite.org/rescode.html) that speak of the machine, not of us. */
const UNAVAILABLE = /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|BUSY|LOCKED|CORRUPT|NOTADB|PERM|NOMEM)/

/** What a store's caller gets to see of a failure of SQLite. */
export function asStorageError(error: unknown): unknown {
  if (error instanceof SQLiteError && error.code !== undefined && UNAVAILABLE.test(error.code)) {
    return new StorageUnavailable(error.code, { cause: error })
  }
  return error
}
