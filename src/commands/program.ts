import { Command, CommanderError } from 'commander'
import packageFile from '../../package.json' with { type: 'json' }
import { createContext, type MutableContext } from './create-context.ts'
import { failureOf, renderFailure } from './report-error.ts'

type Register = (program: Command, context: MutableContext) => void

/** Each top-level command and where it comes from: only the one that is asked for is loaded. */
const COMMANDS: Record<string, () => Promise<Register>> = {
  serve: async () => (await import('./serve.ts')).registerServeCommand,
  migrate: async () => (await import('./migrate.ts')).registerMigrateCommand,
  keys: async () => (await import('./keys.ts')).registerKeysCommands,
  workspaces: async () => (await import('./workspaces.ts')).registerWorkspacesCommands,
  users: async () => (await import('./users.ts')).registerUsersCommands,
  links: async () => (await import('./links.ts')).registerLinksCommands,
  doctor: async () => (await import('./doctor.ts')).registerDoctorCommand,
  'click-worker': async () => (await import('./click-worker.ts')).registerClickWorkerCommand,
}

/** Where usage, errors and help go; a test listens. */
export interface ProgramOutput {
  out: (text: string) => void
  err: (text: string) => void
}

const STANDARD: ProgramOutput = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
}

/**
 * Runs a command line (without the program's own name) and returns the exit status: 0, 1 when
 * the command failed, 2 when it was called wrongly or its settings are wrong.
 */
export async function runProgram(
  args: readonly string[],
  output: ProgramOutput = STANDARD,
  context: MutableContext = createContext(undefined, output.out),
  commands: typeof COMMANDS = COMMANDS,
): Promise<number> {
  const program = createProgram(output)
  const wantsJson = args.includes('--json')
  try {
    const asked = args.find((argument) => !argument.startsWith('-'))
    const names = asked !== undefined && asked in commands ? [asked] : Object.keys(commands)
    for (const name of names) (await commands[name]?.())?.(program, context)
    for (const command of leaves(program)) addJson(command, context)
    if (args.length === 0) {
      program.outputHelp({ error: true })
      return 2
    }
    await program.parseAsync([...args], { from: 'user' })
    return context.exitStatus
  } catch (error) {
    // Commander has written its message, or the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    const failure = await failureOf(error)
    output.err(renderFailure(failure, wantsJson))
    return failure.status
  }
}

function createProgram({ out, err }: ProgramOutput): Command {
  return new Command('slugline')
    .description('Slugline: short links, redirects and click counts that you run yourself.')
    .version(packageFile.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help of a command')
    .showHelpAfterError()
    .configureOutput({ writeOut: out, writeErr: err })
    .addHelpText('after', `\nSettings come from the environment; see: slugline doctor`)
    .exitOverride()
}

/** The commands that do something, groups like `keys` resolved. */
function leaves(command: Command): Command[] {
  if (command.commands.length === 0) return command.parent === null ? [] : [command]
  return command.commands.flatMap(leaves)
}

function addJson(command: Command, context: MutableContext): void {
  if (!command.options.some((option) => option.long === '--json')) {
    command.option('--json', 'answer in JSON, on one line')
  }
  command.hook('preAction', () => {
    context.json = command.opts().json === true
  })
}
