import { type Execute, type Outcome, sqlOver } from '../kysely.ts'
import { bind, type Sql } from '../storage.ts'
import { ConnectionLost, SerializationFailure } from './errors.ts'
import type { Pool } from './pool.ts'

/**
 * Point reads of committed state. The same question, asked by several in one turn of the event
 * loop, is sent once, at its end: each answer is of a state that is newer than its question.
 *
 * A read is asked once more when the server was restarted, a proxy hung up, or a migration that
 * waited for what the read had locked made the server end it.
 */
export function createReader(pool: Pool): Sql {
  let turn = new Map<string, Promise<Outcome>>()

  const ask: Execute = async (text, values) => {
    try {
      return await pool.execute(text, values)
    } catch (error) {
      if (!(error instanceof ConnectionLost || error instanceof SerializationFailure)) throw error
      return pool.execute(text, values)
    }
  }

  async function askAtEndOfTurn(text: string, values: readonly unknown[]): Promise<Outcome> {
    await new Promise<void>((end) => setImmediate(end))
    turn = new Map()
    return ask(text, values)
  }

  const sql = sqlOver('postgres', ask)
  return {
    ...sql,
    async run(statement, parameters) {
      const query = statement.compile(sql)
      const values = bind(query, parameters)
      const text = query.sql
      const key = `${text}\n${JSON.stringify(values)}`
      let asked = turn.get(key)
      if (asked === undefined) {
        asked = askAtEndOfTurn(text, values)
        turn.set(key, asked)
      }
      // A list of its own for each, for the answer may be shared.
      return (await asked).rows.slice() as never[]
    },
  }
}
