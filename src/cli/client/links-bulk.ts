import { extname } from 'node:path'
import type { Command } from 'commander'
import { readRecords, UnreadableFile } from '../../features/imports/records.ts'
import { type CommandContext, CommandError } from '../context.ts'
import { facts } from '../output.ts'
import { createMeter } from './follow-job.ts'
import { BUSY_OR_AWAY, insist, type Remote, remoteOf } from './remote.ts'

/** The limits of a request, with some room for what surrounds the operations. */
const OPERATIONS_MAX = 1_000
const BYTES_MAX = 4 * 1024 * 1024 - 1_024
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
    .description('create, update, upsert and delete many links')
    .argument(
      '<file>',
      'operations in the API format: one per line, or a list in a .json file; - for stdin',
    )
    .option('--atomic', `apply all or none; at most ${OPERATIONS_MAX} operations`)
    .option('--skip <n>', 'skip the first n operations', Number, 0)
    .action((file: string, options: Options) => bulk(context, file, options))
}

interface Failure {
  index: number
  status: number
  error: { code: string; message: string; details?: { field: string; message: string }[] }
}

interface Answer {
  data: (Omit<Failure, 'error'> & Partial<Pick<Failure, 'error'>>)[]
  summary: { succeeded: number; failed: number }
}

interface Done {
  succeeded: number
  failed: number
  errors: Failure[]
}

async function bulk(context: CommandContext, path: string, options: Options): Promise<void> {
  const { atomic = false, skip } = options
  if (!Number.isInteger(skip) || skip < 0) throw new CommandError('--skip is a number', 2)
  const ask = remoteOf(context)
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
    for await (const batch of batchesOf(operationsOf(path), skip, atomic)) {
      if (isStopped) throw new CommandError('Stopped', 1, 'INTERRUPTED')
      add(done, await send(ask, batch, atomic), at)
      at += batch.length
      meter.show({ progress: { done: at, total } })
    }
  } catch (error) {
    if (!(error instanceof CommandError) || at === skip) throw error
    const text = `${error.message}. ${at} operations are done; go on with --skip ${at}`
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

async function send(ask: Remote, operations: object[], atomic: boolean): Promise<Answer> {
  // A retry after an outage uses the same key, so it takes effect once.
  const headers = { 'Idempotency-Key': crypto.randomUUID() }
  const request = { method: 'POST', json: { atomic, operations }, headers } as const
  const answer = await insist(() => ask('/links/bulk', {}, request), { codes: BUSY_OR_AWAY })
  return (await answer.json()) as Answer
}

/** Adds the results of a batch that began at an index of the file. */
function add(done: Done, { data, summary }: Answer, begin: number): void {
  done.succeeded += summary.succeeded
  done.failed += summary.failed
  for (const { index, status, error } of data) {
    if (error === undefined) continue
    const details = error.details?.map((each) => {
      // The batch's index would be misleading.
      return { ...each, field: each.field.replace(/^operations\[\d+\]\.?/, '') }
    })
    done.errors.push({
      index: begin + index,
      status,
      error: { ...error, ...(details && { details }) },
    })
  }
}

function reasonsOf({ errors }: Done): string[] {
  const lines = errors.slice(0, NAMED).map(({ index, error }) => {
    const why = error.details?.map(({ field, message }) => `${field}: ${message}`)
    return `  operation ${index}: ${why?.join(' ') ?? error.message}`
  })
  return errors.length > NAMED ? [...lines, '  and others; --json names all'] : lines
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

/** Splits operations into requests; atomic ones stay in one. @throws CommandError */
async function* batchesOf(
  operations: AsyncIterable<object>,
  skip: number,
  atomic: boolean,
): AsyncGenerator<object[]> {
  let batch: object[] = []
  let bytes = 0
  let n = 0
  for await (const operation of operations) {
    if (n++ < skip) continue
    const size = Buffer.byteLength(JSON.stringify(operation)) + 1
    if (batch.length === OPERATIONS_MAX || (batch.length > 0 && bytes + size > BYTES_MAX)) {
      if (atomic) throw new CommandError(`--atomic takes ${OPERATIONS_MAX} operations in 4 MiB`, 2)
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(operation)
    bytes += size
  }
  if (batch.length > 0) yield batch
}
