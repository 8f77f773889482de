import type { StatisticsDatabase } from '../../store/duckdb.ts'
import { KIND_NAMES } from '../../store/schema.ts'
import type { AskableReports, ClickReports, StoredClick } from '../../types.ts'

type StoredRow = Omit<StoredClick, 'linkSeq' | 'time' | 'kind' | 'domainNo' | 'trigger'> & {
  link: bigint
  slot: number
  ms: number
  kind: 0 | 1 | 2
  domain: number
  qr: boolean
}

/** The least that a test of the process asks: how many clicks there are, and which. */
export function createTestReports(database: StatisticsDatabase): AskableReports {
  async function all<R>(sql: string): Promise<R[]> {
    const connection = await database.connect()
    try {
      return await connection.all<R>(sql)
    } finally {
      connection.close()
    }
  }
  const never = () => Promise.reject(new Error('Not asked by these tests'))
  const reports: ClickReports = {
    async totals({ workspaceNo }) {
      const [row] = await all<{ clicks: bigint; unique: bigint; bots: bigint }>(
        `SELECT count(*) FILTER (kind = 0) AS clicks, count(DISTINCT visitor) AS "unique",
           count(*) FILTER (kind <> 0) AS bots FROM clicks WHERE link >> 32 = ${workspaceNo}`,
      )
      return {
        clicks: Number(row?.clicks),
        unique: Number(row?.unique),
        bots: Number(row?.bots),
      }
    },
    async clicks({ workspaceNo }, { after, limit }) {
      const rows = await all<StoredRow>(
        `SELECT * FROM clicks WHERE link >> 32 = ${workspaceNo}
         AND (slot::BIGINT * 900000 + ms, n) > (${after?.time ?? -1}, ${after?.n ?? -1})
         ORDER BY slot, ms, n LIMIT ${limit}`,
      )
      return rows.map(({ link, slot, ms, kind, domain, qr, ...row }) => ({
        ...row,
        linkSeq: Number(link),
        time: slot * 900_000 + ms,
        kind: KIND_NAMES[kind],
        domainNo: domain,
        trigger: qr ? 'qr' : 'click',
      }))
    },
    series: never,
    top: never,
    daily: never,
    export: never,
  }
  return { ...reports, until: () => reports }
}
