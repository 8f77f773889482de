import { join } from 'node:path'
import {
  type ClickLimits,
  createClickCounter,
  createRecorder,
  journalDirectory,
  openJournal,
  openSqliteCounters,
  openVisitors,
  readWatermark,
} from '../../clicks/index.ts'
import { Supervisor } from '../../clicks/workers/index.ts'
import type { LinkRow } from '../../features/links/row.ts'
import { targetOf } from '../../features/links/rows.ts'
import { BLANK } from '../../features/links/store.ts'
import { createClientAddress } from '../../lib/base/client-address.ts'
import { type Clock, systemClock } from '../../lib/base/clock.ts'
import { createIds } from '../../lib/base/ids.ts'
import { systemRandom } from '../../lib/base/random.ts'
import { createBlockList } from '../../model/blocks/list.ts'
import { slugKey } from '../../model/links/slug.ts'
import { announcingLinks } from '../../platform/cluster/index.ts'
import {
  type EmbeddedStorage,
  openEmbedded,
  SEQS_PER_WORKSPACE,
} from '../../platform/storage/index.ts'
import {
  createCachedResolver,
  createEmbeddedResolver,
  createFetchSlug,
  createRedirect,
  type RedirectDeps,
} from '../index.ts'
import '../../lib/i18n/testing/pseudo.ts'

const WORKER = join(import.meta.dir, '../../clicks/testing/worker-main.ts')

/** What a test's link differs in from a plain one. */
type TestLink = Partial<LinkRow> & { slug: string; aliases_typed?: string[] }

/** Everything behind a short domain, on a migrated data directory. */
export async function openSite(
  dataDir: string,
  {
    clock = systemClock,
    woken = false,
    cached = false,
    ...overrides
  }: { clock?: Clock; woken?: boolean; cached?: boolean } & Partial<RedirectDeps> = {},
) {
  const embedded = await openEmbedded(dataDir)
  const memory = createCachedResolver({ fetch: (...slug) => fetchSlug(...slug), clock })
  const storage: EmbeddedStorage = cached
    ? { ...embedded, write: announcingLinks({ ...embedded }, memory.changed).write }
    : embedded
  const fetchSlug = createFetchSlug(storage)
  const from = await readWatermark(storage.read, 0)
  const journal = openJournal({ directory: journalDirectory(dataDir), after: from.segment })
  const visitors = openVisitors({
    file: join(dataDir, 'visitor-salts'),
    clock,
    random: systemRandom,
  })
  const supervisor = new Supervisor({
    name: 'click worker',
    command: [process.execPath, WORKER, dataDir],
    journal,
    watermark: from,
    clock,
  })
  const ids = createIds(clock, systemRandom)
  let made = 0
  const redirect = createRedirect({
    resolver: cached ? memory : createEmbeddedResolver(storage.reader.raw),
    recorder: createRecorder(journal, visitors, woken ? supervisor.wake : undefined),
    storage,
    clock,
    requestId: () => ids.next('req'),
    baseUrl: 'http://sho.rt',
    domainOf: () => 0,
    clientAddress: createClientAddress([]),
    placeOf: () => ({ country: null, region: null }),
    random: systemRandom,
    guesses: { take: () => ({ allowed: true, retryAfterSeconds: 1 }), right: () => {} },
    blocks: createBlockList({ storage, domains: { noOf: () => undefined }, hosts: [] }),
    report: async () => ({ allowed: true, retryAfterSeconds: 1 }),
    pseudoLocales: true,
    ...overrides,
  })

  return {
    storage,
    /** With `cached`: what remembers the links. */
    memory,
    journal,
    supervisor,
    redirect,

    /** Asks as a browser at `peer` would. */
    async visit(path: string, init: RequestInit = {}, peer = '203.0.113.7'): Promise<Response> {
      const headers = new Headers(init.headers)
      if (!headers.has('user-agent')) headers.set('user-agent', BROWSER)
      const request = new Request(`https://sho.rt${path}`, { ...init, headers })
      return redirect.fetch(request, () => peer)
    },

    /** Adds a link to the first workspace and returns its `seq`. */
    async addLink({ slug, aliases_typed = [], ...values }: TestLink): Promise<number> {
      const seq = SEQS_PER_WORKSPACE + ++made
      const target_url = values.target_url ?? `https://example.com/${made}`
      const row: LinkRow = {
        ...BLANK,
        seq,
        id: `lnk_${String(made).padStart(26, '0')}`,
        workspace_no: 1,
        slug,
        slug_key: slugKey(slug),
        destination_url: target_url,
        target_url,
        aliases: JSON.stringify(aliases_typed),
        ...values,
      }
      const { tags: _, creator_name: __, ...link } = row
      await storage.write(async (tx) => {
        const { db } = tx
        await db
          .insertInto('workspaces')
          .values({ id: 'ws_1', name: 'W', name_key: 'w', plan_id: 'free', created_at: 0 })
          .onConflict((conflict) => conflict.doNothing())
          .execute()
        await db.updateTable('workspaces').set({ links_made: made }).execute()
        await db
          .insertInto('links')
          .values({ ...link, search_text: '' })
          .execute()
        for (const typed of [slug, ...aliases_typed]) {
          await db
            .insertInto('slugs')
            .values({ ...targetOf(row), slug_key: slugKey(typed), domain_no: 0, slug: typed })
            .execute()
          tx.linkChanged?.({ domainNo: 0, slugKey: slugKey(typed) })
        }
      })
      return link.seq
    },

    /** Counts what the journal holds, in this process. */
    async count(limits: ClickLimits = {}): Promise<void> {
      const store = openSqliteCounters(dataDir, limits)
      const counter = createClickCounter({ directory: journalDirectory(dataDir), store, clock })
      try {
        while ((await counter.pass()).more);
      } finally {
        await counter.close()
      }
    },

    async countersOf(seq: number) {
      const rows = await storage.read.db
        .selectFrom('link_counters')
        .select(['total', 'human', 'bot', 'unique_visitors', 'last_clicked_at'])
        .where('link_seq', '=', seq)
        .execute()
      return rows[0]
    },

    async close(): Promise<void> {
      await journal.close()
      visitors.close()
      await supervisor.stop()
      memory.close()
      await storage.close()
    },
  }
}

/** A site under test. */
export type Site = Awaited<ReturnType<typeof openSite>>

/** What a person's browser says. */
export const BROWSER =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36'
/** What a crawler says. */
export const CRAWLER = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'
