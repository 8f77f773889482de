import type { Command } from 'commander'
import { OperatorError } from '../../lib/errors/index.ts'
import { clickhouseUrl, postgresUrl, readOwnEnvironment } from '../../platform/config/index.ts'
import { StorageUnavailable } from '../../platform/storage/storage.ts'
import { type CommandContext, CommandError, checked } from '../context.ts'
import { toStderr } from '../output.ts'

const PROGRESS_EVERY_MS = 5_000

/** `move --to postgres://…`: copies a single-machine instance to the stores of many nodes. */
export function registerMoveCommand(program: Command, context: CommandContext): void {
  program
    .command('move')
    .description('migrate this instance to PostgreSQL (and ClickHouse); it may be running')
    .requiredOption('--to <url>', 'empty PostgreSQL database, or the target of an earlier move')
    .option('--clickhouse <url>', 'where to store clicks (default: CLICKHOUSE_URL, or PostgreSQL)')
    .action((call: { to: string; clickhouse?: string }) => move(context, call))
}

async function move(
  context: CommandContext,
  call: { to: string; clickhouse?: string },
): Promise<void> {
  const { own, clickHouse } = readOwnEnvironment()
  const clicks = call.clickhouse ?? clickHouse
  const options = {
    ...own.config,
    given: own.secret,
    to: checked('--to', call.to, postgresUrl),
    clickHouse: clicks === undefined ? null : checked('--clickhouse', clicks, clickhouseUrl),
    progress: context.json ? () => {} : createProgress(),
  }
  const { isSame } = await import('../../maintenance/move/digest.ts')
  const { moveInstance } = await import('../../maintenance/move/move.ts')
  const result = await moveInstance(options).catch(async (error) => {
    throw await explain(error)
  })
  const { wasRunning, isComplete, tables } = result
  if (!isComplete) context.failed()
  const asOf = new Date(result.asOf).toISOString()
  let outcome = `All data as of ${asOf} was copied. Start the nodes.`
  if (wasRunning) {
    outcome =
      'The server is running. Stop it, and run the command again to copy what has changed since.'
  }
  if (!isComplete) outcome = 'Some tables differ from the instance. Run the command again.'
  const lines = context.tableOf(tables, {
    TABLE: ({ table }) => table,
    COPIED: ({ copied }) => String(copied),
    'ROWS HERE': ({ source }) => String(source.rows),
    'CHECKSUM HERE': ({ source }) => source.checksum,
    THERE: ({ source, target }) =>
      isSame(source, target) ? 'the same' : `${target.rows} ${target.checksum}`,
  })
  const json = { complete: isComplete, as_of: asOf, source_was_running: wasRunning, tables }
  context.print(`${lines}\n\n${outcome}`, json)
}

/** What interrupted a move, with a code for the side that failed. */
async function explain(error: unknown): Promise<unknown> {
  const { stateOf } = await import('../../statistics/process/store-state.ts')
  const { ClickHouseError } = await import('../../statistics/engine/clickhouse/client.ts')
  const { RefusedStatement } = await import('../../platform/storage/postgres/errors.ts')
  if (!(error instanceof Error)) return error
  const advice = "The instance wasn't changed. Run the same command again to continue."
  const interrupted = (code: string, reason: string) =>
    new CommandError(`${reason}. ${advice}`, 1, code)
  const { message } = error
  if (error instanceof ClickHouseError) return interrupted('CLICKHOUSE_UNAVAILABLE', message)
  if (error instanceof RefusedStatement) return interrupted('TARGET_REFUSED', message)
  if (error instanceof StorageUnavailable) return interrupted('TARGET_UNAVAILABLE', message)
  if (error instanceof OperatorError) return error
  const state = stateOf(error)
  if (state === 'full') return interrupted('DISK_FULL', 'The data directory has no space left')
  if (state !== 'corrupt') return error
  return interrupted('DATA_DAMAGED', 'The statistics file is damaged: slugline doctor says more')
}

/** Prints from time to time which table is being copied. */
function createProgress() {
  let total = 0
  let printedAt = performance.now()
  return (table: string, rows: number) => {
    total += rows
    if (performance.now() - printedAt < PROGRESS_EVERY_MS) return
    printedAt = performance.now()
    toStderr(`${table}: ${total} rows so far\n`)
  }
}
