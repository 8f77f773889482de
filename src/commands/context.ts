import { systemClock } from '../base/clock.ts'
import { createIds } from '../base/ids.ts'
import { systemRandom } from '../base/random.ts'
import { BadValue, type Environment, ensureDataDir, readEnvironment } from '../config/index.ts'
import { loadPlans } from '../plans/load.ts'
import { createPlans } from '../plans/service.ts'
import { type Output, table, toStdout } from './output.ts'

/** What every command gets. */
export type CommandContext = ReturnType<typeof createContext>

/** What a command that works on the data gets. */
export type CommandStorage = Awaited<ReturnType<typeof openStorage>>

/** The context of one run of a command. */
export function createContext(
  read: () => Environment = readEnvironment,
  output: Output = toStdout,
) {
  let environment: Environment | undefined
  let exitStatus: 0 | 1 = 0
  const context = {
    /** Whether the command was called with `--json`; known once the arguments are parsed. */
    json: false,
    /** What a command that doesn't throw ends with. */
    get exitStatus() {
      return exitStatus
    },
    /** The printed answer says that something is wrong: the exit status will be 1. */
    failed() {
      exitStatus = 1
    },
    /** The settings and the secret, read at the first use. @throws ConfigError */
    get environment() {
      environment ??= read()
      return environment
    },
    /** The settings of `environment`. */
    get config() {
      return context.environment.config
    },
    /**
     * Answers on stdout: `human` (lines without a trailing newline) or, with `--json`, `json` on
     * one line.
     */
    print(human: string, json: unknown) {
      output(`${context.json ? JSON.stringify(json) : human}\n`)
    },
    /** Answers with a table, each column by its title, or with `none` where there are no rows. */
    printList<T>(
      data: readonly T[],
      none: string,
      columns: Readonly<Record<string, (item: T) => string>>,
    ) {
      const rows = data.map((item) => Object.values(columns).map((cell) => cell(item)))
      context.print(rows.length === 0 ? none : table(Object.keys(columns), rows), { data })
    },
    /** Opens the data, migrated, runs `work` and closes it again. May be used while the server runs. */
    async withStorage<T>(work: (opened: CommandStorage) => Promise<T>): Promise<T> {
      const opened = await openStorage(context.environment)
      return await work(opened).finally(opened.storage.close)
    },
  }
  return context
}

async function openStorage({ config, secret }: Environment) {
  const plans = createPlans(await loadPlans(config.plansFile))
  ensureDataDir(config.dataDir)
  const { openDatabase } = await import('../backend/databases.ts')
  const { prepare } = await import('../backend/prepare.ts')
  const { createWorkspaceService } = await import('../workspaces/service.ts')
  const { secrets } = await prepare(config, { given: secret, isNode: false })
  const storage = await openDatabase(config)
  const ids = createIds(systemClock, systemRandom)
  const shared = { storage, secrets, clock: systemClock, random: systemRandom, ids, plans }
  return { ...shared, workspaces: createWorkspaceService(shared) }
}

/** A command that can't do what it was asked for: its message is printed, without a stack. */
export class CommandError extends Error {
  override name = 'CommandError'
  /**
   * @param status 1: it failed; 2: it was called wrongly.
   * @param code Stable name for machines, printed with `--json`.
   * @param details Fields, each with what is wrong with it.
   */
  constructor(
    message: string,
    readonly status: 1 | 2 = 1,
    readonly code: string = status === 2 ? 'USAGE' : 'FAILED',
    readonly details?: readonly { field: string; code?: string; message: string }[],
  ) {
    super(message)
  }
}

/** The value of an option as the settings of its kind are read. @throws CommandError */
export function checked<T>(option: string, value: string, parse: (value: string) => T): T {
  try {
    return parse(value)
  } catch (error) {
    if (!(error instanceof BadValue)) throw error
    throw new CommandError(`${option} ${error.problem}. Example: ${error.example}`, 2)
  }
}
