import { takeTags } from '../../features/tags/index.ts'
import { createCursors } from '../../http/cursor.ts'
import { createTestApi } from '../../http/testing/api.ts'
import { createIds } from '../../lib/base/ids.ts'
import { systemRandom } from '../../lib/base/random.ts'
import { syncDomains } from '../../model/domains/index.ts'
import { SEQS_PER_WORKSPACE } from '../../platform/storage/index.ts'
import { registerStatisticsDashboardRoutes, registerStatisticsRoutes } from '../routes.ts'
import { createStatisticsService } from '../service.ts'
import { linkFactsIn } from '../store.ts'
import { createNaiveReports } from './naive.ts'

export type TestStatistics = Awaited<ReturnType<typeof createTestStatistics>>

interface LinkFields {
  workspaceNo?: number
  slug?: string
  domainNo?: number
  title?: string | null
  tags?: string[]
  folder?: string | null
}

/** The id of the n-th link. */
export function linkId(n: number): string {
  return `lnk_${String(n).padStart(26, '0')}`
}

/** The endpoints of statistics on a real database, and clicks in memory. */
export async function createTestStatistics() {
  const api = await createTestApi()
  const { storage, clock } = api
  const domains = await syncDomains(storage, 'https://s.example', ['go.example'])
  await storage.write(({ db }) =>
    db
      .insertInto('workspaces')
      .values(
        [1, 2].map((no) => ({
          no,
          id: `wsp_${no}`,
          name: `w${no}`,
          name_key: `w${no}`,
          plan_id: 'free',
          language: null,
          created_at: clock.ms,
        })),
      )
      .execute(),
  )
  const ids = createIds(clock, systemRandom)
  const reports = createNaiveReports(linkFactsIn(() => storage.reports))
  const statistics = createStatisticsService({
    reports,
    storage,
    domains,
    cursors: createCursors('secret'),
    clock,
    livePauseMs: 2,
    forgetClicks: async () => true,
  })
  registerStatisticsDashboardRoutes(api.api, { statistics, clock })
  registerStatisticsRoutes(api.api, { statistics, clock })

  return {
    ...api,
    reports,
    statistics,
    /** Makes a link of a workspace, and gives its `seq`; its id is that of {@link linkId}. */
    async link(
      n: number,
      {
        workspaceNo = 1,
        slug = `l${n}`,
        domainNo = 0,
        title = null,
        tags = [],
        folder = null,
      }: LinkFields = {},
    ) {
      const seq = workspaceNo * SEQS_PER_WORKSPACE + n
      await storage.write(async (tx) => {
        const { db } = tx
        const named = tags.map((tag) => ({ tag, key: tag.toLowerCase(), folder }))
        const taken = await takeTags({ ids, clock }, tx, workspaceNo, named)
        const numbers = named.flatMap(({ key }) => taken.get(key)?.no ?? [])
        await db
          .insertInto('links')
          .values({
            seq,
            id: linkId(n),
            workspace_no: workspaceNo,
            domain_no: domainNo,
            slug,
            slug_key: slug,
            destination_url: 'https://example.com/',
            target_url: 'https://example.com/',
            title,
            notes: null,
            tag_nos: JSON.stringify(numbers),
            folder_id: folder,
            aliases: '[]',
            external_id: null,
            enabled: 1,
            redirect_status: 302,
            forward_query: 0,
            starts_at: null,
            expires_at: null,
            max_clicks: null,
            fallback_url: null,
            password_hash: null,
            created_at: clock.ms,
            updated_at: clock.ms,
            version: 1,
            search_text: '',
          })
          .execute()
        for (const tag_no of numbers) {
          await db
            .insertInto('link_tags')
            .values({ workspace_no: workspaceNo, tag_no, link_seq: seq })
            .execute()
        }
      })
      return seq
    },
    /** Deletes it, to be kept for some days. */
    async removeLink(n: number) {
      await storage.write(async ({ db }) => {
        const { search_text: _, ...row } = await db
          .deleteFrom('links')
          .where('id', '=', linkId(n))
          .returningAll()
          .executeTakeFirstOrThrow()
        const { seq, id, workspace_no } = row
        await db.deleteFrom('link_tags').where('link_seq', '=', seq).execute()
        await db
          .insertInto('deleted_links')
          .values({
            seq,
            id,
            workspace_no,
            folder_id: row.folder_id,
            deleted_at: clock.ms,
            row: JSON.stringify(row),
          })
          .execute()
      })
    },
    /** The body of a GET that must be answered 200. */
    async get<T>(path: string) {
      const answer = await api.send('GET', `/api/v1${path}`)
      const text = await answer.text()
      if (answer.status !== 200) throw new Error(`${answer.status} for ${path}: ${text}`)
      return JSON.parse(text) as T
    },
    /** Status, code, and field and code of each detail, of a GET that is refused. */
    async refusal(path: string) {
      const answer = await api.send('GET', `/api/v1${path}`)
      const { error } = (await answer.json()) as {
        error: { code: string; details?: { field: string; code: string }[] }
      }
      const details = (error.details ?? []).map(({ field, code }) => `${field}: ${code}`)
      return [`${answer.status} ${error.code}`, ...details]
    },
  }
}
