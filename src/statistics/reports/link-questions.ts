import type { Selection } from '../types.ts'
import { type Answer, countClicks, type Limits, type Wish } from './counting/index.ts'
import type { Asking, Lane } from './lane/index.ts'
import { byQueries } from './queries/index.ts'
import { sql } from './sql/index.ts'
import { fitting } from './sql/source.ts'

/** Questions about the clicks of one link. */
export interface LinkQuestions {
  ask<W extends Wish>(selection: Selection, wish: W, signal?: AbortSignal): Promise<Answer<W>>
}

interface Waiting {
  selection: Selection
  wish: Wish
  signal: AbortSignal | undefined
  resolve(answer: Answer<Wish>): void
  reject(error: unknown): void
}

/** Questions that end in the same minute are mostly about the same clicks. */
const MINUTE_MS = 60_000

/**
 * Whoever looks at a link asks a dozen questions at once, all about the same clicks. Those that wait
 * for their turn are answered together with the first of them.
 * @param limits which clicks are counted one by one; others are by queries
 */
export function createLinkQuestions(lane: Pick<Lane, 'run'>, limits: Limits): LinkQuestions {
  const waiting = new Map<string, Waiting[]>()

  function begin(key: string, all: Waiting[]): void {
    const leaving = new AbortController()
    const gone = () => all.every(({ signal }) => signal?.aborted)
    const leave = () => {
      if (gone()) leaving.abort()
    }
    void lane
      .run(async (asking) => {
        // From now on it's too late to join.
        waiting.delete(key)
        for (const { signal } of all) signal?.addEventListener('abort', leave)
        leave()
        leaving.signal.throwIfAborted()
        await answerAll(asking, all, limits)
      }, leaving.signal)
      .catch((error) => {
        for (const { signal, reject } of all) reject(signal?.aborted ? signal.reason : error)
      })
      .finally(() => {
        if (waiting.get(key) === all) waiting.delete(key)
        for (const { signal } of all) signal?.removeEventListener('abort', leave)
      })
  }

  return {
    ask<W extends Wish>(selection: Selection, wish: W, signal?: AbortSignal) {
      const key = JSON.stringify({ ...selection, to: Math.ceil(selection.to / MINUTE_MS) })
      return new Promise<Answer<W>>((resolve, reject) => {
        const one = { selection, wish, signal, resolve: resolve as Waiting['resolve'], reject }
        const others = waiting.get(key)
        if (others !== undefined) {
          others.push(one)
          return
        }
        const all = [one]
        waiting.set(key, all)
        begin(key, all)
      })
    },
  }
}

async function answerAll(asking: Asking, all: readonly Waiting[], limits: Limits): Promise<void> {
  for (const some of await withOneEnd(asking, all)) {
    const { selection } = some[0] as Waiting
    const wishes = some.map(({ wish }) => wish)
    const counted = countClicks(asking, selection, wishes, limits)
    for (const { wish, resolve } of some) {
      const { value } = limits.atMost > 0 ? await counted.next() : { value: null }
      resolve(value ?? (await byQueries(asking, selection, wish)))
    }
  }
}

/** The same in groups that are about the same clicks, those of the first one's selection. */
async function withOneEnd(asking: Asking, all: readonly Waiting[]): Promise<Waiting[][]> {
  const ends = all.map(({ selection }) => selection.to)
  const range = { from: Math.min(...ends), to: Math.max(...ends) }
  if (range.from === range.to) return [[...all]]
  const { selection } = all[0] as Waiting
  const between = sql`SELECT 1 FROM clicks WHERE ${fitting({ ...selection, ...range })} LIMIT 1`
  if ((await asking.rows(between)).length > 0) {
    return [...Map.groupBy(all, ({ selection: { to } }) => to).values()]
  }
  return [[...all]]
}
