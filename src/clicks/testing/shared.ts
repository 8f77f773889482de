import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { systemClock } from '../../lib/base/clock.ts'
import { createIds } from '../../lib/base/ids.ts'
import { systemRandom } from '../../lib/base/random.ts'
import { type Node, openNode } from '../../platform/cluster/node.ts'
import { openPostgres, SEQS_PER_WORKSPACE, type Storage } from '../../platform/storage/index.ts'
import { type Journal, openJournal } from '../journal.ts'
import { encodeRecord, RECORD_VERSION } from '../record.ts'
import { journalDirectory } from '../segments.ts'

const BROWSER =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36'
const BOT = 'curl/8.0'

/** A click in tests. */
export interface TestClick {
  link: number
  time: number
  /** Any text that identifies the visitor; empty: not tracked. */
  visitor: string
  bot?: boolean
}

/** A node's data directory with a journal, and the shared database. */
export interface TestNode extends Node {
  dataDir: string
  journal: Journal
  /** Writes clicks to the journal, like those of one event-loop turn. */
  click(...clicks: TestClick[]): void
  dispose(): Promise<void>
}

/** The hash of a test visitor. */
export function hashOf(visitor: string): string {
  if (visitor === '') return ''
  return createHash('sha256').update(visitor).digest('base64url').slice(0, 16)
}

/** Creates a node, with small segments so that there are many. */
export async function makeNode(storage: Pick<Storage, 'write'>, segmentBytes = 262_144) {
  const dataDir = mkdtempSync(join(tmpdir(), 'slugline-node-'))
  const ids = createIds(systemClock, systemRandom)
  const node = await openNode(dataDir, { storage, ids, clock: systemClock })
  const journal = openJournal({ directory: journalDirectory(dataDir), segmentBytes })
  const made: TestNode = {
    ...node,
    dataDir,
    journal,
    click(...clicks) {
      const lines = clicks.map(({ link, time, visitor, bot = false }) =>
        encodeRecord([
          RECORD_VERSION,
          time,
          link,
          0,
          hashOf(visitor),
          bot ? BOT : BROWSER,
          '203.0.113.0',
          '',
          'de',
          0,
          'a',
          0,
        ]),
      )
      journal.append(lines.join(''), clicks.length)
    },
    async dispose() {
      await journal.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
  return made
}

/** Adds a workspace's first links; returns their `seq`s. */
export async function addLinks(
  storage: Storage,
  workspaceNo: number,
  count: number,
  planId = 'free',
) {
  const first = workspaceNo * SEQS_PER_WORKSPACE
  await storage.write(async ({ db }) => {
    await sql`INSERT INTO workspaces (no, id, name, name_key, plan_id, created_at, links_made)
      VALUES (${workspaceNo}, ${`ws_${workspaceNo}`}, ${`W${workspaceNo}`}, ${`w${workspaceNo}`},
        ${planId}, 0, ${count})`.execute(db)
    await sql`INSERT INTO links (seq, id, workspace_no, domain_no, slug, slug_key, destination_url,
        target_url, aliases, enabled, redirect_status, forward_query, created_at, updated_at,
        version, search_text)
      SELECT ${first}::bigint + n, 'lnk_' || (${first}::bigint + n), ${workspaceNo}, 0, 's' || ${workspaceNo}::bigint || '-' || n,
        's' || ${workspaceNo}::bigint || '-' || n, 'https://e.example', 'https://e.example', '[]', 1, 302, 0, 0, 0, 1, ''
      FROM generate_series(1, ${count}::bigint) n`.execute(db)
  })
  return Array.from({ length: count }, (_, n) => first + n + 1)
}

/** Opens a database's storage. */
export function openTestStorage(url: string): Promise<Storage> {
  return openPostgres({ url, poolSize: 4 })
}
