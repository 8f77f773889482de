import type { StatisticsConnection } from './duckdb.ts'
import type { Chore } from './maintenance.ts'
import { stillBeforeDay } from './ordering.ts'
import {
  addPart,
  type Block,
  beginRollUp,
  finishRollUp,
  isRollingUp,
  PARTS,
  type RolledValues,
  type RollUp,
} from './rollups.ts'
import { ROLL_UP_FORM, SLOTS_PER_DAY } from './schema.ts'

const DAY_MS = 86_400_000
/** What is rolled up in one go, a part at a time. */
const STEP_MS = 400
const SIZES = { block: 20_000, hot: 800, values: {} }

/** What is worth rolling up; fewer clicks are counted as quickly. */
export interface RollUpSizes {
  /** Clicks that a workspace has in a block. */
  block: number
  /** Clicks a day that a link has in it, to be rolled up by itself, too. */
  hot: number
  /** Of which values. */
  values: RolledValues
}

type Work = Block & { workspace: number }

/**
 * Rolls up the clicks of large workspaces: a third of a month at a time, once all its days stand
 * still, and once more when they were changed. A round does what its first look found.
 */
export function createRollingUp(
  connection: StatisticsConnection,
  sizes: Partial<RollUpSizes> = {},
): Chore {
  const { block: least, hot: hotPerDay, values } = { ...SIZES, ...sizes }
  let found: Work[] | undefined
  let current: { it: RollUp; parts: (typeof PARTS)[number][] } | undefined

  async function look(now: number): Promise<Work[]> {
    const stillBefore = stillBeforeDay(now)
    const days = await connection.all<{ workspace: bigint; day: number; clicks: bigint }>(
      `SELECT link >> 32 AS workspace, (slot // ${SLOTS_PER_DAY})::INTEGER AS day,
         count(*) AS clicks
       FROM clicks WHERE slot < ${stillBefore * SLOTS_PER_DAY} GROUP BY ALL`,
    )
    const done = await connection.all<{ subject: bigint; block: number }>(
      `SELECT subject, block FROM rolled
       WHERE whole AND form = ${ROLL_UP_FORM} AND subject >> 32 = 0`,
    )
    const isDone = new Set(done.map(({ subject, block }) => `${subject} ${block}`))
    const works = new Map<string, Work & { clicks: number }>()
    for (const { workspace, day, clicks } of days) {
      const { block, days: length } = blockOf(day)
      const key = `${workspace} ${block}`
      if (block + length > stillBefore || isDone.has(key)) continue
      const work = works.get(key) ?? {
        workspace: Number(workspace),
        block,
        days: length,
        clicks: 0,
      }
      work.clicks += Number(clicks)
      works.set(key, work)
    }
    return [...works.values()]
      .filter(({ clicks }) => clicks >= least)
      .sort((a, b) => b.block - a.block)
  }

  async function inTransaction(work: () => Promise<void>): Promise<void> {
    await connection.run('BEGIN')
    try {
      await work()
      await connection.run('COMMIT')
    } catch (error) {
      await connection.run('ROLLBACK').catch(() => {})
      throw error
    }
  }

  async function begin({ workspace, block, days }: Work): Promise<void> {
    const links = await connection.all<{ link: bigint }>(
      `SELECT link FROM clicks
       WHERE slot >= ${block * SLOTS_PER_DAY} AND slot < ${(block + days) * SLOTS_PER_DAY}
         AND link >> 32 = ${workspace}
       GROUP BY link HAVING count(*) >= ${hotPerDay * days}`,
    )
    const it = { workspace, block, days, hot: links.map(({ link }) => Number(link)) }
    await inTransaction(() => beginRollUp(connection, it))
    current = { it, parts: [...PARTS] }
  }

  return {
    async step(now) {
      found ??= await look(now)
      if (current === undefined) {
        const next = found.shift()
        if (next === undefined) {
          found = undefined
          return false
        }
        await begin(next)
      }
      const start = performance.now()
      while (current !== undefined && performance.now() - start < STEP_MS) {
        const { it, parts } = current
        const part = parts.shift()
        if (part === undefined) current = undefined
        await inTransaction(async () => {
          // Late clicks, or a purge between two steps: the next round begins anew.
          if (!(await isRollingUp(connection, it))) current = undefined
          else if (part === undefined) await finishRollUp(connection, it)
          else await addPart(connection, it, part, values)
        })
      }
      return true
    },
  }
}

/** The third of a month that a day lies in. */
function blockOf(day: number): Block {
  const date = new Date(day * DAY_MS)
  const inMonth = date.getUTCDate()
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  const first = inMonth <= 10 ? 1 : inMonth <= 20 ? 11 : 21
  const end = first === 21 ? Date.UTC(year, month + 1, 1) : Date.UTC(year, month, first + 10)
  const block = Date.UTC(year, month, first) / DAY_MS
  return { block, days: end / DAY_MS - block }
}
