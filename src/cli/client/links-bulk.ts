import { extname } from 'node:path'
import type { Command } from 'commander'
import { readRecords, UnreadableFile } from '../../features/imports/records.ts'
import { type CommandContext, CommandError } from '../context.ts'
import { facts } from '../output.ts'
import {
  type BulkAnswer,
  type BulkOutcome,
  batchesOf,
  OPERATIONS_MAX,
  sendOperations,
} from './bulk-requests.ts'
import { createMeter } from './follow-job.ts'
import { clientOf } from './remote.ts'
import { commandErrorOf } from './request-error.ts'

/** How many refused operations are shown. */
const NAMED = 10

interface Options {
  atomic?: true
  skip: number
}

/** `links bulk FILE`: many creations, changes and deletions. */
export function registerBulkCommand(links: Command, context: CommandContext): void {
  links
    .command('bulk')
    .description('create, update, upsert, delete and restore many links')
    .argument(
      '<file>',
      'operations in the API format: one per line, or a list in a .json file; - for stdin',
    )
    .option('--atomic', `apply all or none; at most ${OPERATIONS_MAX} operations`)
    .option('--skip <n>', 'skip the first n operations', Number, 0)
    .action((file: string, options: Options) => bulk(context, file, options))
}

type Failure = BulkOutcome & Required<Pick<BulkOutcome, 'error'>>

interface Done {
  succeeded: number
  failed: number
  errors: Failure[]
}

async function bulk(context: CommandContext, path: string, options: Options): Promise<void> {
  const { atomic = false, skip } = options
  if (!Number.isInteger(skip) || skip < 0) throw new CommandError('--skip is a number', 2)
  const slugline = clientOf(context)
  const isShown = process.stderr.isTTY && !context.json
  const total = isShown && path !== '-' ? await countOf(operationsOf(path)) : null
  const meter = createMeter(!isShown)
  const done: Done = { succeeded: 0, failed: 0, errors: [] }
  let at = skip
  let isStopped = false
  // Waits for the current request; a second Ctrl+C ends the command.
  process.once('SIGINT', () => {
    isStopped = true
  })
  try {
    for await (const batch of batchesOf(operationsOf(path), { skip, atomic })) {
      if (isStopped) throw new CommandError('Stopped', 1, 'INTERRUPTED')
      for await (const answer of sendOperations(slugline, batch, { atomic })) {
        add(done, answer, at)
        at += answer.data.length
        meter.show({ progress: { done: at, total } })
      }
    }
  } catch (thrown) {
    const error = commandErrorOf(thrown)
    if (!(error instanceof CommandError) || at === skip) throw error
    const text = `${error.message}. ${at} operations are done; continue with --skip ${at}`
    throw new CommandError(text, error.status, error.code, error.details)
  } finally {
    meter.end()
  }
  if (at === skip) throw new CommandError(`${path} has no operations`, 2)
  if (done.failed > 0) context.failed()
  context.print(
    [
      facts({ succeeded: String(done.succeeded), failed: String(done.failed) }),
      ...reasonsOf(done),
    ].join('\n'),
    done,
  )
}

/** Adds the results of a batch that began at an index of the file. */
function add(done: Done, { data, summary }: BulkAnswer, begin: number): void {
  done.succeeded += summary.succeeded
  done.failed += summary.failed
  for (const { index, status, error } of data) {
    if (error === undefined) continue
    done.errors.push({ index: begin + index, status, error })
  }
}

function reasonsOf({ errors }: Done): string[] {
  const lines = errors.slice(0, NAMED).map(({ index, error }) => {
    const why = error.details?.map(({ field, message }) => `${field}: ${message}`)
    return `  operation ${index}: ${why?.join(' ') ?? error.message}`
  })
  return errors.length > NAMED ? [...lines, '  and more; --json lists all'] : lines
}

/** @throws CommandError */
async function* operationsOf(path: string): AsyncGenerator<object> {
  const file = path === '-' ? Bun.stdin : Bun.file(path)
  if (path !== '-' && !(await Bun.file(path).exists())) {
    throw new CommandError(`File “${path}” not found`, 2)
  }
  const kind = extname(path).toLowerCase() === '.json' ? 'json' : 'ndjson'
  let n = 0
  try {
    const text = file.stream().pipeThrough(new TextDecoderStream())
    for await (const record of readRecords(kind, text)) {
      if (record === null)
        throw new CommandError(`Operation ${n} of ${path} is not a JSON object`, 2)
      n++
      yield record
    }
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    throw new CommandError(`${path}, after operation ${n}: ${error.message}`, 2)
  }
}

async function countOf(operations: AsyncIterable<object>): Promise<number> {
  let count = 0
  for await (const _ of operations) count++
  return count
}
