import { sql } from 'kysely'
import {
  each,
  journalDirectory,
  newestInJournal,
  type Position,
  type RowsDatabase,
  readWatermark,
} from '../../clicks/index.ts'
import { databaseFiles, openSqlite, SEQS_PER_WORKSPACE } from '../../platform/storage/index.ts'

/** Links (`seq`) that were given a number, at least the greatest of each workspace. */
type Known = readonly (readonly [workspaceNo: number, linkSeq: number])[]

/**
 * Makes sure that no link gets a number that another one had: counters, statistics and journal may be
 * newer than the links, if these were put back from a copy. A new link would have the clicks of the
 * lost one.
 */
export async function keepNumbers(dataDir: string, known: Known): Promise<void> {
  const files = databaseFiles(dataDir)
  const { raw, db, dialect, close } = openSqlite(files.main)
  try {
    raw.run('ATTACH ? AS counted', [files.counters])
    const counted = raw
      .query<{ no: number; seq: number | null }, []>(
        `SELECT no, max(coalesce((SELECT link_seq FROM counter_watermarks WHERE workspace_no = no), 0),
           coalesce((SELECT max(link_seq) FROM link_counters WHERE link_seq > no * ${SEQS_PER_WORKSPACE}
             AND link_seq < (no + 1) * ${SEQS_PER_WORKSPACE}), 0)) AS seq FROM workspaces
         UNION ALL SELECT max(workspace_no), max(link_seq) FROM counter_watermarks`,
      )
      .all()
      .map(({ no, seq }) => [no ?? 0, seq ?? 0] as const)
    const at = await readWatermark({ db }, 0)
    await raiseNumbers({ db, dialect }, [...counted, ...known, ...inJournal(dataDir, at)])
  } finally {
    close()
  }
}

/** The links of the clicks that a journal has behind a position. */
export function inJournal(dataDir: string, from: Position): Known {
  return newestInJournal(journalDirectory(dataDir), from).map((seq) => [workspaceOf(seq), seq])
}

/** Raises the numbers of the next link of each workspace, and of the next workspace. */
export async function raiseNumbers(database: RowsDatabase, known: Known): Promise<void> {
  const { db, dialect } = database
  const newest = new Map<number, number>()
  for (const [no, seq] of known) {
    if (workspaceOf(seq) !== no) continue
    newest.set(no, Math.max(newest.get(no) ?? 0, seq - no * SEQS_PER_WORKSPACE))
  }
  await sql`UPDATE workspaces SET links_made = k.made
    FROM (SELECT CAST(value->>0 AS BIGINT) AS no, CAST(value->>1 AS BIGINT) AS made
      FROM ${each(database, [...newest])}) k
    WHERE workspaces.no = k.no AND workspaces.links_made < k.made`.execute(db)
  const last = Math.max(0, ...newest.keys())
  if (dialect === 'postgres') {
    await sql`UPDATE numbers SET value = ${last} WHERE name = 'workspaces' AND value < ${last}`.execute(
      db,
    )
    return
  }
  await sql`INSERT INTO sqlite_sequence (name, seq) SELECT 'workspaces', 0
    WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'workspaces')`.execute(db)
  await sql`UPDATE sqlite_sequence SET seq = ${last} WHERE name = 'workspaces' AND seq < ${last}`.execute(
    db,
  )
}

function workspaceOf(seq: number): number {
  return Math.floor(seq / SEQS_PER_WORKSPACE)
}
