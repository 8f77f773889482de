import type { Sql } from '../storage.ts'
import { compiledFor, type Execute, type Outcome, sqlOf } from './dialect.ts'
import { ConnectionLost, GaveWay } from './errors.ts'
import type { Pool } from './pool.ts'

/** One read that was asked for in this turn, by one or by several. */
interface Asked {
  text: string
  values: readonly unknown[]
  answer: PromiseWithResolvers<Outcome>
}

/**
 * The server was restarted, somebody in between has hung up, or a change of the tables waited for
 * what this read had locked while it waited for the change: a read may be asked again.
 */
function mayAskAgain(error: unknown): boolean {
  return error instanceof ConnectionLost || error instanceof GaveWay
}

/**
 * Point reads of committed state. What is asked for in one turn of the event loop is sent at once,
 * on one connection; the same question, asked by several, once. Nobody is given an answer to a
 * question that was sent before they asked: each sees all that was committed before.
 */
export function createReader(pool: Pool): Sql {
  let turn = new Map<string, Asked>()

  async function send(all: readonly Asked[], isRetry = false): Promise<void> {
    const again: Asked[] = []
    try {
      const connection = await pool.connect()
      const outcomes = await connection.gather(() =>
        Promise.allSettled(all.map(({ text, values }) => connection.execute(text, values))),
      )
      let isLost = false
      for (const [i, outcome] of outcomes.entries()) {
        const asked = all[i] as Asked
        if (outcome.status === 'fulfilled') asked.answer.resolve(outcome.value)
        else if (mayAskAgain(outcome.reason) && !isRetry) again.push(asked)
        else asked.answer.reject(outcome.reason)
        isLost ||= outcome.status === 'rejected' && outcome.reason instanceof ConnectionLost
      }
      connection.release(isLost)
    } catch (error) {
      for (const { answer } of all) answer.reject(error)
      return
    }
    if (again.length > 0) await send(again, true)
  }

  function flush(): void {
    const all = [...turn.values()]
    turn = new Map()
    void send(all)
  }

  function ask(text: string, values: readonly unknown[]): Promise<Outcome> {
    const key = `${text}\n${JSON.stringify(values)}`
    let asked = turn.get(key)
    if (asked === undefined) {
      asked = { text, values, answer: Promise.withResolvers<Outcome>() }
      if (turn.size === 0) setImmediate(flush)
      turn.set(key, asked)
    }
    return asked.answer.promise
  }

  const once: Execute = async (text, values) => {
    try {
      return await pool.execute(text, values)
    } catch (error) {
      if (!mayAskAgain(error)) throw error
      return pool.execute(text, values)
    }
  }

  return {
    ...sqlOf(once),
    async run(statement, parameters) {
      const { text, values } = compiledFor(statement, parameters)
      // Their own list, for it may be shared.
      return (await ask(text, values)).rows.slice() as never[]
    },
  }
}
