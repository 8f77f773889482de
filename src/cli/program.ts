import { Command, CommanderError, Option } from 'commander'
import packageFile from '../../package.json' with { type: 'json' }
import { type CommandContext, createContext } from './context.ts'
import { type Output, toStderr, toStdout } from './output.ts'
import { type Failure, failureOf, renderFailure } from './report-error.ts'

type Register = (program: Command, context: CommandContext) => void

/** The top-level commands: only the module of the called one is loaded. */
const COMMANDS: Record<string, () => Promise<Register>> = {
  serve: async () => (await import('./server/serve.ts')).registerServeCommand,
  health: async () => (await import('./server/health.ts')).registerHealthCommand,
  migrate: async () => (await import('./server/migrate.ts')).registerMigrateCommand,
  keys: async () => (await import('./server/keys.ts')).registerKeysCommands,
  workspaces: async () => (await import('./server/workspaces.ts')).registerWorkspacesCommands,
  users: async () => (await import('./server/users.ts')).registerUsersCommands,
  audit: async () => (await import('./server/audit.ts')).registerAuditCommand,
  links: async () => (await import('./links.ts')).registerLinksCommands,
  apply: async () => (await import('./client/apply/command.ts')).registerApplyCommand,
  mcp: async () => (await import('./client/mcp.ts')).registerMcpCommand,
  events: async () => (await import('./client/events.ts')).registerEventsCommand,
  webhooks: async () => (await import('./client/webhooks.ts')).registerWebhooksCommands,
  jobs: async () => (await import('./client/jobs.ts')).registerJobsCommands,
  domains: async () => (await import('./server/domains.ts')).registerDomainsCommands,
  import: async () => (await import('./client/import.ts')).registerImportCommand,
  login: async () => (await import('./client/login.ts')).registerLoginCommand,
  logout: async () => (await import('./client/login.ts')).registerLogoutCommand,
  doctor: async () => (await import('./doctor/doctor.ts')).registerDoctorCommand,
  clicks: async () => (await import('./server/clicks.ts')).registerClicksCommands,
  drain: async () => (await import('./server/drain.ts')).registerDrainCommand,
  export: async () => (await import('./client/export.ts')).registerExportCommand,
  backup: async () => (await import('./server/backup.ts')).registerBackupCommands,
  restore: async () => (await import('./server/backup.ts')).registerRestoreCommand,
  move: async () => (await import('./server/move.ts')).registerMoveCommand,
}

const SETTINGS = `
Settings come from the environment: docs/configuration.md lists them, and \`slugline doctor\`
checks them.`

/**
 * Runs a command line (without the program's own name); usage, errors and help go to `output`.
 * @returns the exit status: 0, 1 if the command failed, 2 for a usage error or wrong settings
 */
export async function runProgram(
  args: readonly string[],
  output = { out: toStdout, err: toStderr },
  context: CommandContext = createContext(undefined, output.out),
  commands: typeof COMMANDS = COMMANDS,
): Promise<number> {
  const wantsJson = args.includes('--json')
  const program = createProgram(output, wantsJson)
  try {
    const asked = args.find((argument) => !argument.startsWith('-'))
    const names = asked !== undefined && asked in commands ? [asked] : Object.keys(commands)
    for (const name of names) (await commands[name]?.())?.(program, context)
    for (const command of leaves(program)) command.option('--json', 'print JSON')
    program.hook('preAction', (_, command) => {
      context.json = command.optsWithGlobals().json === true
    })
    // With `--help` the parser ignores a word that should name a command and doesn't.
    const isWrong = args.some((word) => HELP.has(word)) && namesNoCommand(program, args)
    const given = isWrong ? args.filter((word) => !HELP.has(word)) : [...args]
    await program.parseAsync(given, { from: 'user' })
    return context.exitStatus
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has already written the help or its error message.
      if (error.exitCode === 0) return 0
      if (wantsJson) output.err(renderFailure(usageFailure(error), true))
      return 2
    }
    const failure = await failureOf(error)
    output.err(renderFailure(failure, wantsJson))
    return failure.status
  }
}

function createProgram({ out, err }: { out: Output; err: Output }, wantsJson: boolean): Command {
  return (
    new Command('slugline')
      .description('Slugline: self-hosted short links with click statistics.')
      .version(packageFile.version, '-V, --version', 'print the version')
      .helpOption('-h, --help', 'show help')
      .helpCommand('help [command]', 'show help of a command')
      .showHelpAfterError()
      .configureOutput({
        writeOut: out,
        writeErr: wantsJson ? () => {} : err,
        outputError: (text, write) => write(text.replace(/^error: /, 'slugline: ')),
      })
      .addHelpText('after', SETTINGS)
      // Also here, so that it may be anywhere; each command's help shows its own.
      .addOption(new Option('--json').hideHelp())
      .exitOverride()
  )
}

const HELP: ReadonlySet<string> = new Set(['-h', '--help', 'help'])

/** Whether a word should name a command and doesn't. */
function namesNoCommand(program: Command, args: readonly string[]): boolean {
  let at = program
  for (const word of args.filter((word) => !word.startsWith('-'))) {
    if (at.commands.length === 0) return false
    if (at === program && word === 'help') continue
    const next = at.commands.find((command) => command.name() === word)
    if (next === undefined) return true
    at = next
  }
  return false
}

/** A usage error of the parser, for `--json`. */
function usageFailure({ code, message }: CommanderError): Failure {
  const text =
    code === 'commander.help'
      ? 'a command is missing; slugline --help lists all commands'
      : message.replace(/^error: /, '')
  return { status: 2, code: 'USAGE', message: text }
}

/** The commands without subcommands. */
function leaves(command: Command): Command[] {
  if (command.commands.length === 0) return command.parent === null ? [] : [command]
  return command.commands.flatMap(leaves)
}
