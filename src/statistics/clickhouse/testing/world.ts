import { SEQS_PER_WORKSPACE } from '../../../storage/index.ts'
import { FIRST_DAY, type World } from '../../reports/testing/world.ts'
import { TEXT_COLUMNS } from '../../store/schema.ts'
import type { StoredClick } from '../../types.ts'
import type { ClickHouse } from '../client.ts'
import { COLUMNS } from '../schema.ts'
import { KINDS } from '../where.ts'

/** A row of `clicks`. */
export function rowOf(click: StoredClick): string {
  const { linkSeq, time, n, visitor, kind, trigger, domainNo } = click
  return `${JSON.stringify([
    Math.floor(linkSeq / SEQS_PER_WORKSPACE),
    linkSeq % SEQS_PER_WORKSPACE,
    time,
    n,
    String(visitor ?? 0),
    KINDS.indexOf(kind),
    trigger === 'qr',
    domainNo,
    ...TEXT_COLUMNS.map((name) => click[name] ?? ''),
  ])}\n`
}

/**
 * Stores a world instead of the one before. A day is told by its clicks or by what is left of them,
 * never by both: purged ones lie before all others here.
 */
export async function store(clickHouse: ClickHouse, it: World): Promise<World> {
  const days = new Map(
    it.purged
      .filter(({ day }) => day < FIRST_DAY)
      .map((row) => [`${row.link} ${row.day} ${row.kind}`, row]),
  )
  const purged = [...days.values()]
  for (const table of ['clicks', 'daily', 'purged']) {
    await clickHouse.command(`TRUNCATE TABLE ${table}`)
  }
  if (it.clicks.length > 0) await clickHouse.insert('clicks', COLUMNS, it.clicks.map(rowOf))
  if (purged.length > 0) {
    await clickHouse.insert(
      'daily',
      ['workspace', 'link', 'day', 'kind', 'clicks', 'uniques', 'workspace_uniques'],
      purged.map(
        ({ link, day, kind, clicks, uniques, workspace_uniques }) =>
          `${JSON.stringify([
            Math.floor(link / SEQS_PER_WORKSPACE),
            link % SEQS_PER_WORKSPACE,
            day,
            kind,
            clicks,
            uniques,
            workspace_uniques,
          ])}\n`,
      ),
    )
  }
  await clickHouse.insert(
    'purged',
    ['workspace', 'before'],
    [1, 2].map((workspace) => `[${workspace}, ${FIRST_DAY}]\n`),
  )
  return { ...it, purged }
}
