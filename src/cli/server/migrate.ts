import type { Command } from 'commander'
import { ensureDataDir } from '../../platform/config/index.ts'
import type { MigrationState } from '../../platform/storage/index.ts'
import type { CommandContext } from '../context.ts'

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
        context.print(states.map(line).join('\n'), { migrations: states, waiting })
        if (waiting > 0) context.failed()
        return
      }
      if (config.scaled === null) ensureDataDir(config.dataDir)
      const applied = await migrateDatabase(config)
      const text = applied.length === 0 ? 'Nothing to do.' : applied.map(line).join('\n')
      context.print(text, { applied })
    })
}

function line({ database, name, applied_at, newer }: MigrationState): string {
  const whose = newer ? ' (by a newer version)' : ''
  return `${applied_at === null ? 'waiting' : `applied ${applied_at}`}  ${database}/${name}${whose}`
}
