import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { asPostgresError } from '../../platform/storage/index.ts'

/** A connection to a migrated PostgreSQL. Throws errors of `asPostgresError`. */
export type Target = Awaited<ReturnType<typeof openTarget>>

/** Opens a connection, which must not go through a transaction pooler. */
export async function openTarget(url: string) {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'slugline move',
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  })
  // Queries report it.
  client.on('error', () => {})
  const rethrow = (error: unknown) => {
    throw asPostgresError(error)
  }
  await client.connect().catch(rethrow)

  async function all<R>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    return (await client.query(text, [...values]).catch(rethrow)).rows as R[]
  }

  // Transactions lost in a crash are copied again.
  await all('SET synchronous_commit = off')
  await all('SET statement_timeout = 0')
  return {
    all,
    /** `COPY … FROM STDIN`: stores all of the chunks, or nothing. */
    async copy(statement: string, chunks: Iterable<string> | Readable): Promise<void> {
      const source = chunks instanceof Readable ? chunks : Readable.from(chunks)
      let failed: unknown
      source.on('error', (error) => {
        failed = error
      })
      await pipeline(source, client.query(copyFrom(statement))).catch((error) => {
        throw failed ?? asPostgresError(error)
      })
    },
    close: () => client.end(),
  }
}
