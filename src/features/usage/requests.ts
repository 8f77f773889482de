import type { Insertable } from 'kysely'
import type { Clock } from '../../lib/base/clock.ts'
import type { Schema, Storage } from '../../platform/storage/index.ts'

const MINUTES = 60
const MINUTE_MS = 60_000
/** Rows of one statement: PostgreSQL and SQLite limit its parameters. */
const ROWS_AT_ONCE = 1_000

/**
 * Counts the API requests of each workspace per minute, for the last hour. All nodes add to the
 * same rows. A killed process loses what it hasn't written yet.
 */
export function createRequestCounts({ storage, clock }: { storage: Storage; clock: Clock }) {
  /** Unwritten counts, by minute and workspace. */
  let counts = new Map<string, Insertable<Schema['request_minutes']>>()
  let writing = Promise.resolve()
  const thisMinute = () => Math.floor(clock.now() / MINUTE_MS)

  async function writeAll(): Promise<void> {
    const all = [...counts.values()]
    counts = new Map()
    for (let rows = all.splice(0, ROWS_AT_ONCE); rows.length > 0; ) {
      await storage.write(({ db }) =>
        db
          .insertInto('request_minutes')
          .values(rows)
          .onConflict((conflict) =>
            conflict.columns(['minute', 'workspace_no']).doUpdateSet((eb) => ({
              allowed: eb('request_minutes.allowed', '+', eb.ref('excluded.allowed')),
              limited: eb('request_minutes.limited', '+', eb.ref('excluded.limited')),
            })),
          )
          .execute(),
      )
      rows = all.splice(0, ROWS_AT_ONCE)
    }
  }

  /** Writes the counts. Never rejects: counts that can't be written are lost. */
  function write(): Promise<void> {
    // The storage logs its failures itself.
    writing = writing.then(writeAll).catch(() => {})
    return writing
  }

  return {
    /** Counts a request with a key; status 429 means that a limit refused it. */
    note({ workspaceNo, status }: { workspaceNo: number | null; status: number }): void {
      if (workspaceNo === null) return
      const minute = thisMinute()
      const key = `${minute} ${workspaceNo}`
      const count = counts.get(key) ?? { minute, workspace_no: workspaceNo, allowed: 0, limited: 0 }
      count[status === 429 ? 'limited' : 'allowed']++
      counts.set(key, count)
    },
    write,
    /** Deletes what is older than an hour. */
    async purge(): Promise<void> {
      const until = thisMinute() - MINUTES
      await storage.write(({ db }) =>
        db.deleteFrom('request_minutes').where('minute', '<=', until).execute(),
      )
    },
    /** The last 60 minutes by start time, oldest first, including the current one. */
    async lastHour(workspaceNo: number) {
      await write()
      const first = thisMinute() - MINUTES + 1
      const minutes = Array.from({ length: MINUTES }, (_, i) => first + i)
      const rows = await storage.read.db
        .selectFrom('request_minutes')
        .select(['minute', 'allowed', 'limited'])
        .where('workspace_no', '=', workspaceNo)
        .where('minute', 'in', minutes)
        .execute()
      const known = new Map(rows.map((row) => [row.minute, row]))
      return minutes.map((at) => {
        const { allowed = 0, limited = 0 } = known.get(at) ?? {}
        return { minute: new Date(at * MINUTE_MS).toISOString(), allowed, limited }
      })
    },
  }
}

export type RequestCounts = ReturnType<typeof createRequestCounts>
