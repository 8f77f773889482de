import type { SQLQueryBindings } from 'bun:sqlite'
import { openSqlite, statementsOf } from './connection.ts'
import type { ThreadReply, ThreadRequest, ThreadStart } from './reports.ts'

declare const self: Worker

let statementOf: ReturnType<typeof statementsOf>['of']

self.onmessage = ({ data }: MessageEvent<ThreadRequest | ThreadStart>) => {
  if ('file' in data) statementOf = statementsOf(openSqlite(data.file, data.options).raw).of
  else self.postMessage(answer(data))
}

function answer({ id, sql, parameters }: ThreadRequest): ThreadReply {
  try {
    return { id, rows: statementOf(sql).statement.all(...(parameters as SQLQueryBindings[])) }
  } catch (error) {
    return { id, failed: error instanceof Error ? error.message : String(error) }
  }
}
