import { type Command, Option } from 'commander'
import {
  type Actor,
  COMMAND_LINE,
  type Fields,
  type InstanceAction,
  recordInstance,
  SYSTEM,
} from '../../features/audit/index.ts'
import { systemClock } from '../../lib/base/clock.ts'
import { lowerPriority } from '../../lib/base/niceness.ts'
import { OF_SEVERAL_NODES } from '../../maintenance/backup/create.ts'
import type { Verified } from '../../maintenance/backup/verify.ts'
import { backupPlace } from '../../platform/config/index.ts'
import { SCHEDULED } from '../../server/operations/backup-schedule.ts'
import { type CommandContext, CommandError, checked } from '../context.ts'

const PLACE = 'directory, or s3://bucket/name'

/** `backup [DIR]`, `backup list`, `backup verify DIR`. */
export function registerBackupCommands(program: Command, context: CommandContext): void {
  const backup = program
    .command('backup')
    .description('back up this instance while it runs')
    .argument('[place]', `new ${PLACE} (default: a new one in BACKUP_TO)`)
    .addOption(new Option(SCHEDULED, 'the server asks for it').hideHelp())
    .action((place: string | undefined, { scheduled }: { scheduled?: true }) =>
      place === undefined ? add(context, scheduled) : make(context, place),
    )
  backup
    .command('list')
    .description('list the backups in BACKUP_TO, newest first')
    .action(() => list(context))
  backup
    .command('verify')
    .description('check every file of a backup')
    .argument('<place>', PLACE)
    .action((place: string) => verify(context, place))
}

/** `restore DIR`. */
export function registerRestoreCommand(program: Command, context: CommandContext): void {
  program
    .command('restore')
    .description('restore a backup into an empty data directory')
    .argument('<place>', PLACE)
    .action((place: string) => restore(context, place))
}

/** Makes a backup in BACKUP_TO, then removes old ones. */
async function add(context: CommandContext, scheduled = false): Promise<void> {
  const { store, config } = await configured(context)
  const { addBackup } = await import('../../maintenance/backup/kept.ts')
  // Uses a core and the disk for a while, so visits get priority.
  lowerPriority(context.config.backgroundNiceness)
  const made = await addBackup(instanceOf(context), store, config.backup, systemClock.now())
  await finish(context, made, scheduled ? SYSTEM : COMMAND_LINE, { removed: made.removed })
}

async function make(context: CommandContext, place: string): Promise<void> {
  const instance = instanceOf(context)
  const { createBackup } = await import('../../maintenance/backup/create.ts')
  const { locate } = await import('../../maintenance/backup/places.ts')
  // Uses a core and the disk for a while, so visits get priority.
  lowerPriority(context.config.backgroundNiceness)
  const made = await createBackup(
    instance,
    locate(checked('The place', place, backupPlace), reach(context)),
  )
  await finish(context, made, COMMAND_LINE)
}

type Made = Awaited<ReturnType<typeof import('../../maintenance/backup/create.ts')['createBackup']>>

async function finish(
  context: CommandContext,
  made: Made,
  actor: Actor,
  more: { removed?: string[] } = {},
): Promise<void> {
  const { manifest, bytes, durationMs, where } = made
  await record(context, actor, 'instance.backed_up', where, { bytes, ...more })
  const seconds = (durationMs / 1_000).toFixed(1)
  context.print(
    `${where} has everything until ${manifest.began_at}: ${megabytes(bytes)} in ${seconds} s.${hint(manifest)}`,
    { backup: where, ...backupFacts(made), duration_ms: durationMs, ...more },
  )
}

async function list(context: CommandContext): Promise<void> {
  const { store } = await configured(context)
  const { timeOf } = await import('../../maintenance/backup/kept.ts')
  const found = (await store.list())
    .filter(({ isComplete }) => isComplete)
    .map(({ name }) => ({ name, backup: store.open(name).where, time: timeOf(name) ?? 0 }))
    .sort((a, b) => b.time - a.time || (a.name < b.name ? -1 : 1))
  const data = found.map(({ name, backup }) => ({ name, backup }))
  context.printList(data, 'No backups.', { BACKUP: ({ backup }) => backup })
}

async function verify(context: CommandContext, place: string): Promise<void> {
  const { verifyBackup } = await import('../../maintenance/backup/verify.ts')
  const backup = await open(context, place)
  const found = await verifyBackup(backup)
  const { manifest, bytes, links, journalClicks } = found
  context.print(
    `${backup.where} is complete and intact: the state of ${manifest.began_at}, ${links} links, ${megabytes(bytes)}, ` +
      `made by Slugline ${manifest.version}.`,
    { ...backupFacts(found), links, journal_clicks: journalClicks },
  )
}

async function restore(context: CommandContext, place: string): Promise<void> {
  const { dataDir } = instanceOf(context)
  const { restoreBackup } = await import('../../maintenance/backup/restore.ts')
  const backup = await open(context, place)
  const found = await restoreBackup(backup, dataDir)
  const { manifest, links } = found
  const { began_at } = manifest
  await record(context, COMMAND_LINE, 'instance.restored', backup.where, { began_at })
  context.print(
    `Restored into ${dataDir}: the state of ${manifest.began_at}, ${links} links. Start the server: slugline serve.${hint(manifest)}`,
    { data_dir: dataDir, ...backupFacts(found), links },
  )
}

/** Writes an audit entry without migrating: backups are also made before an upgrade. */
async function record(
  context: CommandContext,
  actor: Actor,
  action: InstanceAction,
  label: string,
  after: Fields,
): Promise<void> {
  const { openDatabase } = await import('../../server/backend/databases.ts')
  const storage = await openDatabase(context.config)
  const entry = { label, at: systemClock.now(), after }
  await recordInstance(storage, actor, action, entry).finally(storage.close)
}

/** @throws CommandError if several nodes share the data */
function instanceOf(context: CommandContext) {
  const { config, secret } = context.environment
  if (config.scaled !== null) throw new CommandError(OF_SEVERAL_NODES, 1, 'SEVERAL_NODES')
  return { dataDir: config.dataDir, given: secret }
}

async function configured(context: CommandContext) {
  instanceOf(context)
  const { config } = context
  const { to } = config.backup
  if (to === null) throw new CommandError('Name a destination for the backup, or set BACKUP_TO', 2)
  const { openStore } = await import('../../maintenance/backup/places.ts')
  return { config, store: openStore(to, reach(context)) }
}

async function open(context: CommandContext, place: string) {
  const { locate } = await import('../../maintenance/backup/places.ts')
  const { store, name } = locate(checked('The place', place, backupPlace), reach(context))
  return store.open(name)
}

function reach({ config }: CommandContext) {
  return { dataDir: config.dataDir, s3: config.backup.s3 }
}

/** What the backup doesn't contain. */
function hint({ secret }: Verified['manifest']): string {
  if (secret === 'file') return ''
  return '\nIt does not have the secret: keep SLUGLINE_SECRET, without which no API key works.'
}

function backupFacts({ manifest, bytes }: Pick<Verified, 'manifest' | 'bytes'>) {
  const { version, began_at, ended_at, secret, files } = manifest
  return { version, began_at, ended_at, secret, files: files.length, bytes }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
