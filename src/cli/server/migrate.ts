import type { Command } from 'commander'
import { ensureDataDir } from '../../platform/config/index.ts'
import type { MigrationState } from '../../platform/storage/index.ts'
import type { Columns, CommandContext } from '../context.ts'
import { shortTime } from '../times.ts'

/** `migrate [--status]`: migrates the tables, as `serve` does by itself. */
export function registerMigrateCommand(program: Command, context: CommandContext): void {
  program
    .command('migrate')
    .description('run database migrations (serve does this on start)')
    .option('--status', 'list migrations; exit 1 if any are pending')
    .action(async ({ status }: { status?: boolean }) => {
      const { config } = context
      const { databaseStates, migrateDatabase } = await import('../../server/backend/databases.ts')
      if (status === true) {
        const states = await databaseStates(config)
        const waiting = states.filter((state) => state.applied_at === null).length
        context.printList(states, 'Nothing to do.', COLUMNS, { migrations: states, waiting })
        if (waiting > 0) context.failed()
        return
      }
      if (config.scaled === null) ensureDataDir(config.dataDir)
      const applied = await migrateDatabase(config)
      context.printList(applied, 'Nothing to do.', COLUMNS, { applied })
    })
}

const COLUMNS: Columns<MigrationState> = {
  DATABASE: ({ database }) => database,
  MIGRATION: ({ name, newer }) => `${name}${newer ? ' (by a newer version)' : ''}`,
  STATUS: ({ applied_at }) => (applied_at === null ? 'pending' : 'applied'),
  'APPLIED (UTC)': ({ applied_at }) => shortTime(applied_at),
}
