import { resolve } from 'node:path'
import type { Command } from 'commander'
import { OF_SEVERAL_NODES } from '../backup/create.ts'
import type { Verified } from '../backup/verify.ts'
import { type CommandContext, CommandError } from './context.ts'

/** `backup DIR`, `backup verify DIR`. */
export function registerBackupCommands(program: Command, context: CommandContext): void {
  const backup = program
    .command('backup')
    .description('back this instance up to a new directory, while it runs')
    .argument('<directory>', 'is made; ./verify for one of that name')
    .action((directory: string) => make(context, resolve(directory)))
  backup
    .command('verify')
    .description('open and read every file of a backup')
    .argument('<directory>', 'a backup')
    .action((directory: string) => verify(context, resolve(directory)))
}

/** `restore DIR`. */
export function registerRestoreCommand(program: Command, context: CommandContext): void {
  program
    .command('restore')
    .description('make the data directory from a backup; it must be empty')
    .argument('<directory>', 'a backup')
    .action((directory: string) => restore(context, resolve(directory)))
}

async function make(context: CommandContext, directory: string): Promise<void> {
  const { config, secret } = context.environment
  if (config.scaled !== null) throw new CommandError(OF_SEVERAL_NODES, 1, 'SEVERAL_NODES')
  const { createBackup } = await import('../backup/create.ts')
  const made = await createBackup({ dataDir: config.dataDir, given: secret }, directory)
  const { manifest, bytes, durationMs, to } = made
  const seconds = (durationMs / 1_000).toFixed(1)
  context.print(
    `${to} has everything of before ${manifest.began_at}: ${megabytes(bytes)} in ${seconds} s.${hint(manifest)}`,
    { backup: to, ...shown({ manifest, bytes }), duration_ms: durationMs },
  )
}

async function verify(context: CommandContext, directory: string): Promise<void> {
  const { verifyBackup } = await import('../backup/verify.ts')
  const found = await verifyBackup(directory)
  const { manifest, bytes, links, journalClicks } = found
  context.print(
    `${directory} is whole: the state of ${manifest.began_at}, ${links} links, ${megabytes(bytes)}, ` +
      `made by Slugline ${manifest.version}.`,
    { ...shown(found), links, journal_clicks: journalClicks },
  )
}

async function restore(context: CommandContext, directory: string): Promise<void> {
  const { config } = context
  if (config.scaled !== null) throw new CommandError(OF_SEVERAL_NODES, 1, 'SEVERAL_NODES')
  const { restoreBackup } = await import('../backup/restore.ts')
  const found = await restoreBackup(directory, config.dataDir)
  const { manifest, links } = found
  context.print(
    `${config.dataDir} has the state of ${manifest.began_at}, ${links} links: start slugline serve.${hint(manifest)}`,
    { data_dir: config.dataDir, ...shown(found), links },
  )
}

/** What isn't in the backup. */
function hint({ secret }: Verified['manifest']): string {
  if (secret === 'file') return ''
  return '\nIt does not have the secret: keep SLUGLINE_SECRET, without which no API key works.'
}

function shown({ manifest, bytes }: Pick<Verified, 'manifest' | 'bytes'>) {
  const { version, began_at, ended_at, secret, files } = manifest
  return { version, began_at, ended_at, secret, files: files.length, bytes }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
