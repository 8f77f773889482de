import { existsSync } from 'node:fs'
import { openSqlite } from './sqlite/connection.ts'

/**
 * Gives the feed of events in a file of links another id, because it may have had other events after
 * this state: readers get EVENTS_OTHER_FEED instead of a gap. A file from before the feed gets its id
 * by the migration.
 */
export function renewFeed(file: string): void {
  if (!existsSync(file)) return
  const { raw, close } = openSqlite(file)
  raw.query("UPDATE instance SET value = ? WHERE name = 'feed'").run(crypto.randomUUID())
  close()
}
