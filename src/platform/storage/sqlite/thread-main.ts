import type { SQLQueryBindings } from 'bun:sqlite'
import { asStorageError, openSqlite, statementsOf } from './connection.ts'
import type { ThreadReply, ThreadRequest, ThreadStart } from './reports.ts'

declare const self: Worker

/** Prepares statements; throws the reason why the files can't be opened. */
let statementOf: ReturnType<typeof statementsOf>['of']

self.onmessage = ({ data }: MessageEvent<ThreadRequest | ThreadStart>) => {
  if ('file' in data) statementOf = opened(data)
  else self.postMessage(answer(data))
}

function opened({ file, options }: ThreadStart): typeof statementOf {
  try {
    return statementsOf(openSqlite(file, options).raw).of
  } catch (error) {
    return () => {
      throw error
    }
  }
}

function answer({ id, sql, parameters }: ThreadRequest): ThreadReply {
  try {
    return { id, rows: statementOf(sql).statement.all(...(parameters as SQLQueryBindings[])) }
  } catch (error) {
    const fault = asStorageError(error)
    return { id, failed: fault instanceof Error ? fault.message : String(fault) }
  }
}
