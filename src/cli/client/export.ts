import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import type { Command } from 'commander'
import packageFile from '../../../package.json' with { type: 'json' }
import {
  type List,
  PermissionError,
  type Slugline,
  SluglineError,
} from '../../../sdk/typescript/src/index.ts'
import { replaceFile } from '../../lib/base/replace-file.ts'
import { type CommandContext, CommandError } from '../context.ts'
import { toStderr } from '../output.ts'
import { clientAt, loginOf, PATIENT } from './remote.ts'

const ARCHIVE = /\.(tar\.gz|tgz)$/i
/** Records whose export a directory has, and when it was completed. */
const NOTE = 'export.json'
/** Streamed files: all links, including archived ones, and all clicks, including bots'. */
const STREAMED: Readonly<Record<string, (slugline: Slugline) => Promise<Response>>> = {
  'links.ndjson': ({ links }) => links.exportNdjson({ archived: 'any', order: 'asc' }, PATIENT),
  'history.ndjson': ({ links }) => links.exportHistory(PATIENT),
  'clicks.parquet': ({ clicks }) => clicks.exportParquet({ bots: 'include' }, PATIENT),
}
/** Lists exported if the instance has them. */
const LISTED = ['tags', 'folders', 'domains'] as const

interface Note {
  url: string
  workspace: string
  slugline: string
  began_at: string
  /** Null: incomplete. */
  ended_at: string | null
}

/** `export`: everything of a workspace, from any instance, over its API. */
export function registerExportCommand(program: Command, context: CommandContext): void {
  program
    .command('export')
    .description('export a workspace (needs `slugline login`)')
    .argument('<file>', 'archive ending in .tar.gz or .tgz, or a directory')
    .action((path: string) =>
      ARCHIVE.test(path)
        ? writeArchive(context, resolve(path))
        : writeDirectory(context, resolve(path)),
    )
}

/** Writes an archive. Files are written beside it first, because an archive needs their sizes. */
async function writeArchive(context: CommandContext, file: string): Promise<void> {
  if (existsSync(file)) throw new CommandError(`${file} already exists`, 1, 'EXPORT_COMPLETE')
  const directory = `${file}.partial`
  const written = await writeAll(context, directory, true)
  const draft = `${file}.new`
  const prefix = basename(file).replace(ARCHIVE, '')
  // Loaded here, because no other command needs it.
  const { create } = await import('tar')
  const options = { file: draft, cwd: directory, prefix, gzip: true, portable: true }
  await create(options, readdirSync(directory).sort())
  renameSync(draft, file)
  rmSync(directory, { recursive: true })
  print(context, { ...written, file })
}

async function writeDirectory(context: CommandContext, directory: string): Promise<void> {
  print(context, { ...(await writeAll(context, directory)), directory })
}

/** @param mayBeComplete whether a complete directory may be used as it is */
async function writeAll(
  context: CommandContext,
  directory: string,
  mayBeComplete = false,
): Promise<Written> {
  const login = loginOf(context)
  const slugline = clientAt(login)
  const { workspace } = await slugline.me()
  const note = begin(directory, login.url, workspace.id)
  if (note.ended_at !== null && !mayBeComplete) {
    const message = `${directory} has an export that was completed at ${note.ended_at}: use a new directory`
    throw new CommandError(message, 1, 'EXPORT_COMPLETE')
  }
  const { resources } = await slugline.index(PATIENT)
  const files: Record<string, number> = {}
  async function write(name: string, parts: () => Promise<AsyncIterable<Uint8Array>>) {
    const file = join(directory, name)
    if (!existsSync(file)) {
      if (!context.json) toStderr(`${name} …\n`)
      await writeWhole(file, await parts())
    }
    files[name] = Bun.file(file).size
  }
  const skipped: string[] = []
  for (const name of LISTED.filter((name) => name in resources)) {
    try {
      await write(`${name}.ndjson`, async () => lines(slugline[name].list({ limit: 100 }, PATIENT)))
    } catch (error) {
      if (!(error instanceof PermissionError) || error.code !== 'INSUFFICIENT_SCOPE') throw error
      skipped.push(name)
      toStderr(`${name} skipped: the key has no permission to read it\n`)
    }
  }
  for (const [name, request] of Object.entries(STREAMED)) {
    await write(name, async () => (await request(slugline)).body ?? nothing())
  }
  save(directory, { ...note, ended_at: new Date().toISOString() })
  return { workspace: workspace.id, files, skipped }
}

interface Written {
  workspace: string
  files: Record<string, number>
  skipped: string[]
}

function print(
  context: CommandContext,
  written: Written & ({ directory: string } | { file: string }),
): void {
  const lines = Object.entries(written.files).map(([name, bytes]) => `${name}  ${bytes} bytes`)
  const place = 'file' in written ? written.file : written.directory
  context.print(
    `${lines.join('\n')}\n\n${place} has everything of workspace ${written.workspace}.`,
    written,
  )
}

/** Creates the directory, or continues with one of the same workspace. @throws CommandError */
function begin(directory: string, url: string, workspace: string): Note {
  const file = join(directory, NOTE)
  if (!existsSync(file)) {
    try {
      mkdirSync(directory, { recursive: true, mode: 0o700 })
      const began_at = new Date().toISOString()
      const made = { url, workspace, slugline: packageFile.version, began_at, ended_at: null }
      save(directory, made)
      return made
    } catch (error) {
      throw new CommandError(`${directory} can't be created: ${(error as Error).message}`)
    }
  }
  const note = JSON.parse(readFileSync(file, 'utf8')) as Note
  if (note.workspace !== workspace || note.url !== url) {
    const message = `${directory} has an export of another workspace (${note.workspace} of ${note.url})`
    throw new CommandError(message, 1, 'OTHER_EXPORT')
  }
  return note
}

function save(directory: string, note: Note): void {
  replaceFile(join(directory, NOTE), `${JSON.stringify(note, null, 2)}\n`)
}

/** Writes a file atomically: it gets its name when it is complete. */
async function writeWhole(file: string, parts: AsyncIterable<Uint8Array>): Promise<void> {
  const partial = `${file}.partial`
  rmSync(partial, { force: true })
  const sink = Bun.file(partial).writer()
  try {
    for await (const part of parts) {
      sink.write(part)
      await sink.flush()
    }
    await sink.end()
  } catch (error) {
    rmSync(partial, { force: true })
    if (error instanceof SluglineError) throw error
    const message = 'The transfer was interrupted; run the command again to continue'
    throw new CommandError(message, 1, 'INTERRUPTED')
  }
  // A sink without data creates no file.
  if (!existsSync(partial)) await Bun.write(partial, '')
  renameSync(partial, file)
}

/** The items of a list, page by page, as lines of JSON. */
async function* lines(list: List<unknown>): AsyncGenerator<Uint8Array> {
  for await (const { data } of list.pages()) {
    yield new TextEncoder().encode(data.map((item) => `${JSON.stringify(item)}\n`).join(''))
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
