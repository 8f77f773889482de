import type { LinkCounts } from '../clicks/recount.ts'
import type { ScaledConfig } from '../config/index.ts'
import { SEQS_PER_WORKSPACE, type Storage } from '../storage/index.ts'
import { type CommandContext, CommandError } from './context.ts'
import { onlyWorkspace } from './refusals.ts'
import { table } from './table.ts'

const LINKS_NAMED = 50
/** Longer than clicks wait at any load to be counted and stored. */
const BETWEEN_LOOKS_MS = 12_000
const LOOKS = 5

/** `clicks recount`, of many nodes: while they count. */
export async function recountSharedClicks(
  context: CommandContext,
  scaled: ScaledConfig,
  workspace?: string,
): Promise<void> {
  const { recountShared } = await import('../clicks/shared/recount.ts')
  await context.withStorage(async ({ storage }) => {
    const { linkNumbers, close } = await clicksOf(scaled, storage)
    try {
      const result = await recountShared({
        storage,
        range: await rangeOf(storage, workspace),
        looks: LOOKS,
        wait: () => Bun.sleep(BETWEEN_LOOKS_MS),
        async raw(range) {
          const found = new Map<number, LinkCounts>()
          for await (const [seq, human, bot, unique] of linkNumbers(range)) {
            found.set(seq, { human, bot, unique })
          }
          return found
        },
      })
      if (result.behind.length > 0) {
        throw new CommandError(
          `Nothing was judged: clicks of ${result.behind.join(', ')} are not all counted and stored. Start or drain these nodes, or try again when the backlog is gone.`,
          1,
          'NODES_BEHIND',
        )
      }
      await print(context, result, storage)
    } finally {
      await close()
    }
  })
}

/** Where the clicks of all nodes are. */
async function clicksOf({ clickhouse }: ScaledConfig, storage: Storage) {
  type Range = readonly [number, number]
  if (clickhouse === null) {
    const { linkNumbers } = await import('../statistics/postgres/recount.ts')
    return { linkNumbers: (range: Range) => linkNumbers(storage, range), async close() {} }
  }
  const { openClickHouse } = await import('../statistics/clickhouse/client.ts')
  const { linkNumbers } = await import('../statistics/clickhouse/recount.ts')
  const { migrateClickHouse } = await import('../statistics/clickhouse/schema.ts')
  const clickHouse = openClickHouse(clickhouse.reveal())
  await migrateClickHouse(clickHouse)
  return {
    linkNumbers: (range: Range) => linkNumbers(clickHouse, range),
    close: clickHouse.close,
  }
}

async function rangeOf(
  { read }: Pick<Storage, 'read'>,
  workspace?: string,
): Promise<readonly [number, number]> {
  if (workspace === undefined) return [0, Number.MAX_SAFE_INTEGER]
  const rows = await read.db
    .selectFrom('workspaces')
    .select('no')
    .where((eb) => eb.or([eb('id', '=', workspace), eb('name_key', '=', workspace.toLowerCase())]))
    .limit(2)
    .execute()
  const row = onlyWorkspace(rows, workspace)
  return [row.no * SEQS_PER_WORKSPACE, (row.no + 1) * SEQS_PER_WORKSPACE]
}

async function print(
  context: CommandContext,
  result: Awaited<ReturnType<typeof import('../clicks/shared/recount.ts').recountShared>>,
  { read }: Pick<Storage, 'read'>,
): Promise<void> {
  const { links, moving, differences } = result
  const named = []
  for (const { linkSeq, counted, clicks } of differences) {
    const link = await read.db
      .selectFrom('links')
      .select(['id', 'slug'])
      .where('seq', '=', linkSeq)
      .executeTakeFirst()
    named.push({ ...(link ?? { id: String(linkSeq), slug: '' }), counted, clicks })
  }
  const lines = [
    differences.length === 0
      ? `The counters of all ${links - moving} links are what their clicks come to.`
      : `The counters of ${differences.length} of ${links - moving} links were wrong, and are mended:`,
  ]
  if (moving > 0) lines.push(`${moving} links were clicked all the while: ask again for them.`)
  if (named.length > 0) {
    const heads = ['link', 'slug', 'counted (people/bots/unique)', 'clicks (people/bots/unique)']
    const rows = named.slice(0, LINKS_NAMED)
    lines.push(
      table(
        heads,
        rows.map(({ id, slug, counted, clicks }) => [id, slug, inWords(counted), inWords(clicks)]),
      ),
    )
    if (named.length > LINKS_NAMED) lines.push(`and ${named.length - LINKS_NAMED} more`)
  }
  const mended = differences.length
  context.print(lines.join('\n'), { links, older: 0, moving, mended, differences: named })
}

function inWords({ human, bot, unique }: LinkCounts): string {
  return `${human}/${bot}/${unique}`
}
