import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const fileOf = (dataDir: string) => join(dataDir, 'journal-end')

/**
 * Writes down the number of the journal's last segment: when all of it has been counted it is
 * deleted, and only the databases would know where a start goes on. Where that can't be done (a full disk)
 * nothing is known rather than something old: no stop fails because of it.
 */
export function rememberJournalEnd(dataDir: string, segment: number): void {
  const file = fileOf(dataDir)
  try {
    writeFileSync(`${file}.next`, `${segment}\n`)
    renameSync(`${file}.next`, file)
  } catch {
    rmSync(file, { force: true })
  }
}

/**
 * The segment that a journal goes on behind, without the database; null: it can't be told, and a
 * number that was used already would lose clicks.
 */
export function journalEnd(dataDir: string, journalDirectory: string): number | null {
  try {
    const end = Number(readFileSync(fileOf(dataDir), 'utf8'))
    if (Number.isInteger(end) && end >= 0) return end
  } catch {}
  // A process that was killed has left its last segment.
  try {
    return readdirSync(journalDirectory).some((name) => /^\d+\.log$/.test(name)) ? 0 : null
  } catch {
    return null
  }
}
