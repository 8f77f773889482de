import type { Command } from 'commander'
import { BadValue, clickhouseUrl, postgresUrl, readOwnEnvironment } from '../config/index.ts'
import type { MoveResult } from '../move/index.ts'
import { type CommandContext, CommandError } from './context.ts'
import { toStderr } from './output.ts'
import { explained } from './refusals.ts'
import { table } from './table.ts'

const PROGRESS_EVERY_MS = 5_000

interface MoveCall {
  to: string
  clickhouse?: string
}

/** `move --to postgres://…`: everything of an embedded instance into the stores of many nodes. */
export function registerMoveCommand(program: Command, context: CommandContext): void {
  program
    .command('move')
    .description(
      'copy this instance, running or not, to PostgreSQL (and ClickHouse), for many nodes',
    )
    .requiredOption('--to <url>', 'an empty PostgreSQL database, or where it was moved before')
    .option('--clickhouse <url>', "for the clicks; CLICKHOUSE_URL if it's set, else PostgreSQL")
    .action((call: MoveCall) => move(context, call))
}

async function move(context: CommandContext, call: MoveCall): Promise<void> {
  const { own, clickHouse } = readOwnEnvironment()
  const { dataDir, geoipDatabase } = own.config
  const to = checked('--to', call.to, postgresUrl)
  const clicks = call.clickhouse ?? clickHouse
  const { moveInstance } = await import('../move/index.ts')
  const result = await explained(() =>
    moveInstance({
      dataDir,
      geoipDatabase,
      given: own.secret,
      to,
      clickHouse: clicks === undefined ? null : checked('--clickhouse', clicks, clickhouseUrl),
      progress: context.json ? () => {} : progressTo(toStderr),
    }),
  ).catch(async (error) => {
    throw await interrupted(error)
  })
  await print(context, result)
}

const GO_ON = 'Nothing of the instance was changed; the same command goes on where it was.'
const CODES: Record<string, string> = {
  ClickHouseError: 'CLICKHOUSE_UNAVAILABLE',
  RefusedStatement: 'TARGET_REFUSED',
  StorageUnavailable: 'TARGET_UNAVAILABLE',
}

/** What interrupted a move, with the code of the side that it comes from. */
async function interrupted(error: unknown): Promise<unknown> {
  const { stateOf } = await import('../statistics/process/store-state.ts')
  if (!(error instanceof Error)) return error
  const code = CODES[error.name]
  if (code !== undefined) return new CommandError(`${error.message}. ${GO_ON}`, 1, code)
  const state = stateOf(error)
  const failed = (text: string, code: string) => new CommandError(`${text}. ${GO_ON}`, 1, code)
  if (state === 'full') return failed('No space is left in the data directory', 'DISK_FULL')
  if (state !== 'corrupt') return error
  return failed('The statistics file is damaged: bin/slugline doctor says more', 'DATA_DAMAGED')
}

function checked(option: string, value: string, parse: (value: string) => string): string {
  try {
    return parse(value)
  } catch (error) {
    if (!(error instanceof BadValue)) throw error
    throw new CommandError(`${option} ${error.problem}. Example: ${error.example}`, 2)
  }
}

/** Prints now and then which table it is at. */
function progressTo(print: (text: string) => void) {
  const rowsOf = new Map<string, number>()
  let printedAt = performance.now()
  return (name: string, rows: number) => {
    const sum = (rowsOf.get(name) ?? 0) + rows
    rowsOf.set(name, sum)
    if (performance.now() - printedAt < PROGRESS_EVERY_MS) return
    printedAt = performance.now()
    print(`${name}: ${sum} rows\n`)
  }
}

async function print(context: CommandContext, result: MoveResult): Promise<void> {
  const { wasRunning, isComplete, tables } = result
  const { inHex, isSame } = await import('../move/index.ts')
  const asOf = new Date(result.asOf).toISOString()
  const rows = tables.map(({ table, copied, source, target }) => {
    const there = isSame(source, target) ? 'the same' : `${target.rows} ${inHex(target)}`
    return [table, String(copied), String(source.rows), inHex(source), there]
  })
  const outcome = !isComplete
    ? 'Not everything is the same. Run the command again.'
    : wasRunning
      ? 'The server is running: stop it and run the command again, which copies what has changed.'
      : `Everything that the instance held at ${asOf} is there: start the nodes.`
  if (!isComplete) context.failed()
  const lines = table(['table', 'copied', 'rows here', 'checksum here', 'there'], rows)
  context.print(`${lines}\n\n${outcome}`, {
    complete: isComplete,
    as_of: asOf,
    source_was_running: wasRunning,
    tables: tables.map(({ table, copied, source, target }) => ({
      table,
      copied,
      source: { rows: source.rows, checksum: inHex(source) },
      target: { rows: target.rows, checksum: inHex(target) },
    })),
  })
}
