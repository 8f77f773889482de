import { statSync } from 'node:fs'
import type { DuckDb } from './database.ts'

/** DuckDB's file begins with three headers of this size; blocks follow. */
const HEADER_BYTES = 4_096

/**
 * Reads every block, which DuckDB compares with its checksum. Nothing may write to the file meanwhile.
 * @returns time from which all clicks are stored, in milliseconds since the Unix epoch; 0: all
 * @throws what is wrong with the file
 */
export async function checkFile(database: DuckDb): Promise<number> {
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
    const [state] = await connection.run('SELECT since FROM state')
    return Number(state?.[0])
  } finally {
    connection.close()
  }
}
