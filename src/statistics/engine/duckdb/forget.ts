import { DAY_MS } from '../../intervals.ts'
import { linkNumbersSql } from '../../reports/recount.ts'
import type { Forgotten } from '../types.ts'
import type { DuckDb } from './database.ts'
import { dialect } from './dialect.ts'

/** Deletes a link's clicks before a time, and totals of whole days before it. */
export async function forgetClicks(
  database: DuckDb,
  link: number,
  before: number,
): Promise<Forgotten> {
  const connection = await database.connect()
  try {
    await connection.transaction(async () => {
      await connection.run(`DELETE FROM clicks WHERE link = ${link} AND time < ${before}`)
      const day = Math.floor(before / DAY_MS)
      await connection.run(`DELETE FROM daily WHERE link = ${link} AND day < ${day}`)
    })
    await connection.run('BEGIN')
    const [state] = await connection.run('SELECT segment, "offset", since FROM state')
    const [segment, offset, since] = (state as unknown[]).map(Number) as [number, number, number]
    const [row = []] = await connection.run(linkNumbersSql(dialect, [link, link + 1]))
    const [, human = 0, bot = 0, unique = 0] = row.map(Number)
    return { segment, offset, since, human, bot, unique }
  } finally {
    connection.close()
  }
}
