import { existsSync } from 'node:fs'
import { ownProgram } from '../../lib/base/own-program.ts'
import { OperatorError } from '../../lib/errors/index.ts'
import { statisticsFile } from './files.ts'

/** The command that {@link askOwner} starts. */
export const OWNER_COMMAND = 'statistics-owner'

/** What a statistics file says about the instance that it belongs to. */
interface Answer {
  /** Why it belongs to another one; null: it doesn't. */
  refused: { code: string; message: string } | null
  links: [workspace: number, link: number][]
}

/**
 * Checks in a process of its own, because DuckDB takes much memory, that the statistics belong to the
 * links beside them. A file that can't be read is not this check's business. Returns the newest link
 * of each workspace that they have clicks of.
 * @throws OperatorError
 */
export async function askOwner(dataDir: string): Promise<Answer['links']> {
  if (!existsSync(statisticsFile(dataDir))) return []
  const child = Bun.spawn(ownProgram(OWNER_COMMAND, '--data-dir', dataDir), {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const text = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) return []
  const { refused, links } = JSON.parse(text) as Answer
  if (refused !== null) throw new OperatorError(refused.code, refused.message)
  return links
}

/** The answer of that process. @throws DuckDB's errors when the file can't be read */
export async function answerOwner(dataDir: string): Promise<Answer> {
  const { openDuckDb } = await import('../engine/duckdb/index.ts')
  const { newestLinks, ownerIn } = await import('../engine/duckdb/owner.ts')
  const options = { readonly: true, owner: await ownerIn(dataDir) }
  try {
    const database = await openDuckDb(statisticsFile(dataDir), options)
    const connection = await database.connect()
    return { refused: null, links: await newestLinks(connection).finally(database.close) }
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    const { code, message } = error
    return { refused: { code, message }, links: [] }
  }
}
