import {
  assertOwned,
  databaseFiles,
  type Instance,
  instanceIn,
} from '../../../platform/storage/index.ts'
import type { Connection } from './types.ts'

/** The links that a statistics file belongs to. */
export interface Owner {
  instance: Instance
  /** The file of the links, for messages. */
  main: string
}

/** The links of a data directory; null: there are none. */
export async function ownerIn(dataDir: string): Promise<Owner | null> {
  const { main } = databaseFiles(dataDir)
  const instance = await instanceIn(main)
  return instance && { instance, main }
}

/** Checks that a file belongs to an instance. @throws OperatorError */
export async function assertOwner(
  connection: Connection,
  file: string,
  { instance, main }: Owner,
): Promise<void> {
  const owner = await ownerOf(connection)
  const [state] = await connection.run(
    'SELECT segment = 0 AND "offset" = 0 AND NOT EXISTS (FROM clicks) FROM state',
  )
  assertOwned({ name: file, owner, isEmpty: state?.[0] === true }, instance, main)
}

/** Writes into a file which instance it belongs to, unless it says it already. */
export async function writeOwner(connection: Connection, { instance }: Owner): Promise<void> {
  if (instance.id === null || (await ownerOf(connection)) !== null) return
  // Files of earlier versions don't have it.
  await connection.run('ALTER TABLE state ADD COLUMN IF NOT EXISTS instance VARCHAR')
  await connection.run('UPDATE state SET instance = $1', [instance.id])
}

/** Null: it doesn't say. */
async function ownerOf(connection: Connection): Promise<string | null> {
  const [column] = await connection.run(
    "SELECT 1 FROM duckdb_columns() WHERE table_name = 'state' AND column_name = 'instance'",
  )
  if (column === undefined) return null
  const [state] = await connection.run('SELECT instance FROM state')
  return (state?.[0] ?? null) as string | null
}

/** The greatest link of each workspace that a file has clicks of. */
export async function newestLinks(
  connection: Connection,
): Promise<[workspace: number, link: number][]> {
  const rows = await connection.run('SELECT workspace, max(link) FROM clicks GROUP BY workspace')
  return rows.map(([workspace, link]) => [Number(workspace), Number(link)])
}
