import type { Command } from 'commander'
import { type Environment, readOwnEnvironment } from '../config/index.ts'
import { BadValue } from '../config/parse.ts'
import { clickhouseUrl, postgresUrl } from '../config/scaled.ts'
import type { MoveResult, Refusal } from '../move/index.ts'
import { type CommandContext, CommandError } from './context.ts'
import { toStderr } from './output.ts'
import { table } from './table.ts'

/** What is looked at is told so often. */
const TELL_EVERY_MS = 5_000

const WHY: Record<Refusal, string> = {
  NO_INSTANCE: 'There is no instance in the data directory. Is SLUGLINE_DATA_DIR right?',
  NODE_DIRECTORY:
    'This is the data directory of a node: its instance is in PostgreSQL already. Name that of the instance with SLUGLINE_DATA_DIR.',
  SOURCE_NOT_MIGRATED:
    'The instance was last run by an older version. Start this version on it once, or run slugline migrate, then move it.',
  SOURCE_NEWER: 'The instance was last run by a newer version. Move it with that one.',
  OTHER_SECRET:
    "SLUGLINE_SECRET isn't the secret in the data directory. Set the one that the instance runs with, or none.",
  MOVE_RUNNING: 'The instance is being moved already.',
  TARGET_IN_USE:
    'Nodes have been started on this database. To move an instance into it, make it anew: an empty database.',
  TARGET_NOT_EMPTY:
    'The database is not empty, and what it holds does not come from an earlier move. Name an empty one.',
  TARGET_OF_ANOTHER: 'Another instance was moved into this database. Name an empty one.',
  CLICKS_NOT_EMPTY:
    'ClickHouse holds clicks already that do not come from an earlier move. Name an empty database.',
}

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
  const to = checked('--to', call.to, postgresUrl)
  const clicks = call.clickhouse ?? clickHouse
  const { MoveRefused, moveInstance, StatisticsBusy } = await import('../move/index.ts')
  let result: MoveResult
  try {
    result = await moveInstance({
      ...sourceOf(own),
      to,
      clickHouse: clicks === undefined ? null : checked('--clickhouse', clicks, clickhouseUrl),
      progress: context.json ? () => {} : teller(),
    })
  } catch (error) {
    if (error instanceof MoveRefused) throw new CommandError(WHY[error.refusal], 1, error.refusal)
    if (error instanceof StatisticsBusy) {
      const text = 'Clicks are stored all the while. Try again, or stop the server for it.'
      throw new CommandError(text, 1, 'STATISTICS_BUSY')
    }
    throw await brokenOff(error)
  }
  await print(context, result)
}

const GO_ON = 'Nothing of the instance was changed; the same command goes on where it was.'

/** What broke a move off, as a failure of the side that it comes from. */
async function brokenOff(error: unknown): Promise<unknown> {
  const { asPostgresError, StorageUnavailable } = await import('../storage/index.ts')
  const { stateOf } = await import('../statistics/process/store-state.ts')
  const known = isPostgres(error) ? asPostgresError(error) : error
  if (!(known instanceof Error)) return known
  const failed = (message: string, code: string) =>
    new CommandError(`${message}. ${GO_ON}`, 1, code)
  if (known.name === 'ClickHouseError') return failed(known.message, 'CLICKHOUSE_UNAVAILABLE')
  if (known.name === 'RefusedStatement') return failed(known.message, 'TARGET_REFUSED')
  if (known instanceof StorageUnavailable) return failed(known.message, 'TARGET_UNAVAILABLE')
  const state = stateOf(known)
  if (state === 'full') return failed('No space is left in the data directory', 'DISK_FULL')
  if (state === 'corrupt') {
    return failed('The statistics file is damaged: bin/slugline doctor says more', 'DATA_DAMAGED')
  }
  return known
}

function sourceOf({ config, secret }: Environment) {
  const { dataDir, geoipDatabase } = config
  return { dataDir, geoipDatabase, given: secret }
}

function checked(option: string, value: string, parse: (value: string) => string): string {
  try {
    return parse(value)
  } catch (error) {
    if (!(error instanceof BadValue)) throw error
    throw new CommandError(`${option} ${error.problem}. Example: ${error.example}`, 2)
  }
}

/** Whether PostgreSQL, its driver or the way to it says so, and no file. */
function isPostgres(error: unknown): boolean {
  const { severity, syscall, path } = error as Record<'severity' | 'syscall' | 'path', unknown>
  return (
    typeof severity === 'string' ||
    (typeof syscall === 'string' && path === undefined) ||
    /^(?:Connection terminated|timeout expired|Client has encountered)/.test(
      error instanceof Error ? error.message : '',
    )
  )
}

/** Says now and then which table it is at. */
function teller() {
  const looked = new Map<string, number>()
  let toldAt = performance.now()
  return (name: string, rows: number) => {
    const sum = (looked.get(name) ?? 0) + rows
    looked.set(name, sum)
    if (performance.now() - toldAt < TELL_EVERY_MS) return
    toldAt = performance.now()
    toStderr(`${name}: ${sum} rows\n`)
  }
}

async function print(context: CommandContext, result: MoveResult): Promise<void> {
  const { wasRunning, isComplete, tables } = result
  const { inHex, isSame } = await import('../move/index.ts')
  const asOf = new Date(result.asOf).toISOString()
  const rows = tables.map((moved) => [
    moved.table,
    String(moved.copied),
    String(moved.source.rows),
    inHex(moved.source),
    isSame(moved.source, moved.target) ? 'the same' : `${moved.target.rows} ${inHex(moved.target)}`,
  ])
  const lines = [table(['table', 'copied', 'rows here', 'checksum here', 'there'], rows), '']
  if (!isComplete) {
    lines.push('Not everything is the same. Run the command again.')
    context.failed()
  } else {
    lines.push(`Everything that the instance held at ${asOf} is there.`)
    lines.push(wasRunning ? STILL_RUNNING : READY)
  }
  context.print(lines.join('\n'), {
    complete: isComplete,
    as_of: asOf,
    source_was_running: wasRunning,
    tables: tables.map((moved) => ({
      table: moved.table,
      copied: moved.copied,
      source: { rows: moved.source.rows, checksum: inHex(moved.source) },
      target: { rows: moved.target.rows, checksum: inHex(moved.target) },
    })),
  })
}

const STILL_RUNNING =
  'The server is running: what it has written since is not. Stop it and run the command again, which takes over what has changed; then start the nodes.'
const READY = 'The server was not running, so nothing is missing: start the nodes.'
