import type { SQLQueryBindings, Statement } from 'bun:sqlite'
import { openSqlite, type SqliteConnection } from './connection.ts'
import type { ThreadReply, ThreadRequest, ThreadStart } from './reports.ts'

declare const self: Worker

const STATEMENTS_KEPT = 128
const statements = new Map<string, Statement>()
let connection: SqliteConnection | undefined

self.onmessage = ({ data }: MessageEvent<ThreadRequest | ThreadStart>) => {
  if ('file' in data) {
    connection = openSqlite(data.file, data.options)
    return
  }
  self.postMessage(answer(data))
}

function answer({ id, sql, parameters }: ThreadRequest): ThreadReply {
  try {
    let statement = statements.get(sql)
    if (statement === undefined) {
      if (statements.size >= STATEMENTS_KEPT) statements.clear()
      statement = (connection as SqliteConnection).raw.prepare(sql)
      statements.set(sql, statement)
    }
    return { id, rows: statement.all(...(parameters as SQLQueryBindings[])) }
  } catch (error) {
    return { id, failed: error instanceof Error ? error.message : String(error) }
  }
}
