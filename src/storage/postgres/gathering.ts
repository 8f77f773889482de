import type { Gathered, Sql } from '../storage.ts'

interface Asked {
  all: unknown[]
  answers: PromiseWithResolvers<unknown>[]
}

/** What transactions that run beside each other ask for, until it is sent. */
export interface Gathering {
  add<P, R>(work: Gathered<P, R>, one: P): Promise<R>
  /** What is asked for from now on is done for each alone. */
  send(): void
}

/** Gathers for the transactions on one connection. */
export function createGathering(sql: Sql): Gathering {
  let open: Map<Gathered<unknown, unknown>, Asked> | null = new Map()
  return {
    add<P, R>(work: Gathered<P, R>, one: P): Promise<R> {
      if (open === null) return alone(sql, work, one)
      const key = work as Gathered<unknown, unknown>
      let asked = open.get(key)
      if (asked === undefined) {
        asked = { all: [], answers: [] }
        open.set(key, asked)
      }
      const answer = Promise.withResolvers<R>()
      asked.all.push(one)
      asked.answers.push(answer as PromiseWithResolvers<unknown>)
      return answer.promise
    },
    send() {
      const asked = open ?? new Map()
      open = null
      for (const [work, { all, answers }] of asked) void answer(sql, work, all, answers)
    },
  }
}

/** Does it for one. */
export async function alone<P, R>(sql: Sql, work: Gathered<P, R>, one: P): Promise<R> {
  return (await work(sql, [one]))[0] as R
}

async function answer(
  sql: Sql,
  work: Gathered<unknown, unknown>,
  all: readonly unknown[],
  answers: readonly PromiseWithResolvers<unknown>[],
): Promise<void> {
  try {
    const outcomes = await work(sql, all)
    for (const [i, each] of answers.entries()) each.resolve(outcomes[i])
  } catch (error) {
    for (const each of answers) each.reject(error)
  }
}
