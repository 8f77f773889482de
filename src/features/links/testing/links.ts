import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCursors } from '../../../http/cursor.ts'
import { validate } from '../../../http/index.ts'
import { createIds } from '../../../lib/base/ids.ts'
import { systemRandom } from '../../../lib/base/random.ts'
import type { AppError } from '../../../lib/errors/index.ts'
import { createBlockList } from '../../../model/blocks/list.ts'
import { syncDomains } from '../../../model/domains/index.ts'
import { SEQS_PER_WORKSPACE, type Storage } from '../../../platform/storage/index.ts'
import { openTestStorage, writeCounters } from '../../../platform/storage/testing/database.ts'
import { COMMAND_LINE } from '../../audit/index.ts'
import { setBlocked } from '../../blocks/testing/set-blocked.ts'
import type { LinkServiceDeps, LinkWriter } from '../context.ts'
import { createLinkSchemas } from '../fields.ts'
import { createListQuerySchema, listQueryOf } from '../list-query.ts'
import type { HistoryPage, Link, LinkList } from '../schemas.ts'
import { createLinkService, type LinkService } from '../service.ts'

/** A links service on a temporary database, with two workspaces and two domains. */
export interface TestLinks {
  service: LinkService
  storage: Storage
  /** A fixed clock, which tests advance. */
  clock: { ms: number; now(): number }
  /** Creates a link from a request's body, with validation. */
  create(body: object, workspaceNo?: number): Promise<Link>
  patch(
    id: string,
    body: object,
    options?: { workspaceNo?: number; version?: number },
  ): Promise<Link>
  remove(id: string, options?: { workspaceNo?: number; version?: number }): Promise<void>
  restore(
    id: string,
    options?: { version?: number; ifVersion?: number; workspaceNo?: number },
  ): Promise<Link>
  history(id: string, page?: { limit: number; cursor?: string }): Promise<HistoryPage>
  list(query?: Record<string, string | string[]>, workspaceNo?: number): Promise<LinkList>
  /** Writes a link's counters like the click worker. */
  count(
    id: string,
    counters: {
      total: number
      bots?: number
      lastClickedAt: number | null
      /** Also the link's. */
      imported?: number
    },
  ): Promise<void>
  /** Creates counters for all links like the click worker. */
  countAll(): Promise<void>
  /** Blocks or unblocks a link by id or address; returns the result of {@link setBlocked}. */
  setBlocked(value: string, blocked: boolean): Promise<string | null>
  setLimit(limit: number | null): void
  setAddressesLimit(limit: number | null): void
  close(): Promise<void>
}

const NOW = 1_790_000_000_000

/** Creates one. */
export async function createTestLinks(deps: Partial<LinkServiceDeps> = {}): Promise<TestLinks> {
  const dir = await mkdtemp(join(tmpdir(), 'slugline-links-'))
  const storage = await openTestStorage(dir)
  const clock = { ms: NOW, now: () => clock.ms }
  await storage.write((tx) =>
    tx.db
      .insertInto('workspaces')
      .values(
        [1, 2].map((no) => ({
          no,
          id: `wsp_${no}`,
          name: `W${no}`,
          name_key: `w${no}`,
          plan_id: 'free',
          language: null,
          created_at: NOW,
        })),
      )
      .execute(),
  )
  const domains = await syncDomains(storage, 'https://s.example', ['go.example'])
  const service = createLinkService({
    storage,
    clock,
    ids: createIds(clock, systemRandom),
    random: systemRandom,
    cursors: createCursors('secret'),
    domains,
    ownHosts: { hosts: domains.hosts, listenPort: 3000, basePort: 443 },
    urlRules: { schemes: ['http', 'https'] },
    blocks: createBlockList({ storage, domains, hosts: ['blocked.example'] }),
    hashPassword: async (password) => `hash of ${password}`,
    ...deps,
  })
  const schemas = createLinkSchemas(service.rules)
  const listSchema = createListQuerySchema(service.rules)
  const limits: { links: number | null; addresses: number | null } = {
    links: null,
    addresses: null,
  }
  const callerOf = (no = 1): LinkWriter => ({
    workspace: { no, plan: { limits } },
    actor: COMMAND_LINE,
  })
  const seqOf = async (id: string) => {
    const { seq } = await storage.read.db
      .selectFrom('links')
      .select('seq')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    return seq
  }
  const ifMatch = (version: number | undefined) => (actual: number) =>
    version === undefined || version === actual

  return {
    service,
    storage,
    clock,
    async create(body, workspaceNo) {
      const caller = callerOf(workspaceNo)
      const prepared = await service.prepareCreate(caller, validate(schemas.create, body))
      return storage.write((tx) => service.create(tx, caller, prepared))
    },
    async patch(id, body, { workspaceNo, version } = {}) {
      const caller = callerOf(workspaceNo)
      const match = ifMatch(version)
      const fields = validate(schemas.patch, body)
      const prepared = await service.preparePatch(caller, id, fields, match)
      return storage.write((tx) => service.update(tx, caller, id, prepared, match))
    },
    remove: (id, { workspaceNo, version } = {}) =>
      storage.write((tx) => service.remove(tx, callerOf(workspaceNo), id, ifMatch(version))),
    async restore(id, { version, ifVersion, workspaceNo } = {}) {
      const caller = callerOf(workspaceNo)
      const prepared = await service.prepareRestore(caller, id, version)
      return storage.write((tx) => service.restore(tx, caller, id, prepared, ifMatch(ifVersion)))
    },
    history: (id, page = { limit: 100 }) => service.history(callerOf(), id, page),
    async list(query = {}, workspaceNo) {
      return service.list(callerOf(workspaceNo), listQueryOf(validate(listSchema, query)))
    },
    async count(id, { total, bots = 0, lastClickedAt, imported = 0 }) {
      const seq = await seqOf(id)
      if (imported > 0) {
        await storage.write(({ db }) =>
          db
            .updateTable('links')
            .set({ imported_clicks: imported })
            .where('seq', '=', seq)
            .execute(),
        )
      }
      const workspaceNo = Math.floor(seq / SEQS_PER_WORKSPACE)
      await writeCounters(dir, [
        ['DELETE FROM link_counters WHERE link_seq = ?', seq],
        [
          `INSERT INTO link_counters (link_seq, workspace_no, total, human, bot, unique_visitors,
            last_clicked_at, imported) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
          ...[seq, workspaceNo, total, total - bots, bots, total - bots, lastClickedAt, imported],
        ],
      ])
    },
    async countAll() {
      const links = await storage.read.db
        .selectFrom('links')
        .select(['seq', 'workspace_no'])
        .orderBy('seq')
        .execute()
      await writeCounters(
        dir,
        links.flatMap(
          ({ seq, workspace_no: no }): Parameters<typeof writeCounters>[1][number][] => [
            [
              `INSERT INTO link_counters (link_seq, workspace_no) VALUES (?, ?)
             ON CONFLICT DO NOTHING`,
              ...[seq, no],
            ],
            [
              `INSERT INTO counter_watermarks (workspace_no, link_seq) VALUES (?, ?)
             ON CONFLICT (workspace_no) DO UPDATE SET link_seq = excluded.link_seq`,
              ...[no, seq],
            ],
          ],
        ),
      )
    },
    setBlocked: (value, blocked) => setBlocked({ storage, clock, domains }, value, blocked),
    setLimit(value) {
      limits.links = value
    },
    setAddressesLimit(value) {
      limits.addresses = value
    },
    async close() {
      await storage.close()
      await rm(dir, { recursive: true })
    },
  }
}

/** The error of a promise: the code, and field and code of each detail. */
export async function refusal(promise: Promise<unknown>): Promise<string[]> {
  try {
    await promise
  } catch (error) {
    const { code, details = [] } = error as AppError
    return [code, ...details.map((detail) => `${detail.field}: ${detail.code}`)]
  }
  throw new Error('It was not refused')
}
