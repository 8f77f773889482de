import { loadPlans } from '../features/plans/load.ts'
import { createPlans } from '../features/plans/service.ts'
import { systemClock } from '../lib/base/clock.ts'
import { createIds } from '../lib/base/ids.ts'
import { systemRandom } from '../lib/base/random.ts'
import {
  BadValue,
  type Environment,
  ensureDataDir,
  readEnvironment,
} from '../platform/config/index.ts'
import { growingTable, type Output, table, terminalWidth, toStdout } from './output.ts'

/** What a table shows of an item, by title. */
export type Columns<T> = Readonly<Record<string, (item: T) => string>>

/** The context of a command. */
export type CommandContext = ReturnType<typeof createContext>

/** The context of a command that works on the data. */
export type CommandStorage = Awaited<ReturnType<typeof openStorage>>

/** Creates the context for one run of a command. */
export function createContext(
  read: () => Environment = readEnvironment,
  output: Output = toStdout,
  width: number = terminalWidth(),
) {
  let environment: Environment | undefined
  let exitStatus: 0 | 1 | 2 = 0
  const context = {
    /** Whether the command was called with `--json`; known once the arguments are parsed. */
    json: false,
    /** The exit status of a command that doesn't throw. */
    get exitStatus() {
      return exitStatus
    },
    /** Makes the exit status 1, because the printed result reports a problem. */
    failed() {
      exitStatus = 1
    },
    /** Makes the exit status 2, because the printed result has differences. */
    differs() {
      exitStatus = 2
    },
    /** The settings and the secret, read on demand. @throws ConfigError */
    get environment() {
      environment ??= read()
      return environment
    },
    /** The settings of `environment`. */
    get config() {
      return context.environment.config
    },
    /**
     * Prints the result on stdout: `human` (lines without a trailing newline) or, with `--json`,
     * `json` on one line.
     */
    print(human: string, json: unknown) {
      output(`${context.json ? JSON.stringify(json) : human}\n`)
    },
    /** Prints a table with a title per column, or `none` if there are no rows. */
    printList<T>(data: readonly T[], none: string, columns: Columns<T>, json: object = { data }) {
      context.print(data.length === 0 ? none : context.tableOf(data, columns), json)
    },
    /** A table with a title per column, as wide as the terminal at most. */
    tableOf<T>(data: readonly T[], columns: Columns<T>): string {
      const rows = data.map((item) => Object.values(columns).map((cell) => cell(item)))
      return table(Object.keys(columns), rows, width)
    },
    /** Makes the function that prints items as they come: rows of one table, or lines of JSON. */
    rowPrinter<T>(columns: Columns<T>): (item: T) => void {
      const add = growingTable(Object.keys(columns), width)
      return (item) =>
        context.print(
          context.json ? '' : add(Object.values(columns).map((cell) => cell(item))),
          item,
        )
    },
    /** Opens and migrates the data, runs `work` and closes it. Works while the server runs. */
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
  const { openDatabase } = await import('../server/backend/databases.ts')
  const { prepare } = await import('../server/backend/prepare.ts')
  const { createWorkspaceService } = await import('../features/workspaces/service.ts')
  const { secrets } = await prepare(config, { given: secret, isNode: false })
  const storage = await openDatabase(config)
  const ids = createIds(systemClock, systemRandom)
  const shared = { storage, secrets, clock: systemClock, random: systemRandom, ids, plans }
  return { ...shared, workspaces: createWorkspaceService(shared) }
}

/** A command failed: its message is printed, without a stack. */
export class CommandError extends Error {
  override name = 'CommandError'
  /**
   * Creates the error.
   * @param status 1: failed; 2: usage error.
   * @param code Stable name for programs, printed with `--json`.
   * @param details Fields with their faults.
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

/** The value of an option, parsed like a setting of that kind. @throws CommandError */
export function checked<T>(option: string, value: string, parse: (value: string) => T): T {
  try {
    return parse(value)
  } catch (error) {
    if (!(error instanceof BadValue)) throw error
    throw new CommandError(`${option} ${error.problem}. Example: ${error.example}`, 2)
  }
}

/** @throws CommandError if `--limit` is no number of results */
export function checkLimit(limit: number): void {
  if (!Number.isInteger(limit) || limit < 1) throw new CommandError('--limit is a number', 2)
}
