import { statSync } from 'node:fs'
import type { StoredFacts } from '../types.ts'
import type { DuckDb } from './types.ts'

/** DuckDB's file begins with three headers of this size; blocks follow. */
const HEADER_BYTES = 4_096

/**
 * Reads every block, which DuckDB compares with its checksum. Nothing may write to the file meanwhile.
 * @throws what is wrong with the file
 */
export async function checkFile(database: DuckDb): Promise<StoredFacts> {
  // Blocks in memory would hide what became of the file since they were read.
  await database.releaseMemory(true)
  const connection = await database.connect()
  try {
    const [size] = await connection.run(
      // Free blocks at the end need not be in the file.
      'SELECT block_size * used_blocks FROM pragma_database_size()',
    )
    const expected = 3 * HEADER_BYTES + Number(size?.[0])
    if (statSync(database.file).size < expected) throw new Error('The file is cut off')
    // A hash of whole rows reads all columns.
    for (const [table] of await connection.run('SELECT table_name FROM duckdb_tables()')) {
      await connection.run(`SELECT bit_xor(hash(t)) FROM ${table} AS t`)
    }
    const [state = []] = await connection.run(`SELECT segment, "offset", since,
      (SELECT count(*) FROM clicks) + (SELECT coalesce(sum(clicks), 0) FROM daily) FROM state`)
    const [segment = 0, offset = 0, since = 0, clicks = 0] = state.map(Number)
    return { segment, offset, since, clicks }
  } finally {
    connection.close()
  }
}
