import type { Clock } from '../base/clock.ts'
import type { Ids } from '../base/ids.ts'
import type { Random } from '../base/random.ts'
import type { Config, Environment, Secrets } from '../config/index.ts'
import type { Plans } from '../plans/service.ts'
import type { Storage } from '../storage/index.ts'

/** What a command that works on the data gets. */
export interface CommandStorage {
  storage: Storage
  secrets: Secrets
  clock: Clock
  ids: Ids
  random: Random
  plans: Plans
}

/** What every command gets. */
export interface CommandContext {
  /** The settings and the secret, read at the first use. @throws ConfigError */
  readonly environment: Environment
  /** The settings of {@link environment}. */
  readonly config: Config
  /** Whether the command was called with `--json`; known once the arguments are parsed. */
  json: boolean
  /** What a command that doesn't throw ends with. */
  readonly exitStatus: 0 | 1
  /**
   * Opens the data, migrated, runs `work` and closes it again. May be used while the server runs.
   */
  withStorage<T>(work: (opened: CommandStorage) => Promise<T>): Promise<T>
  /**
   * Answers on stdout: `human` (lines without a trailing newline) or, with `--json`, `json` on
   * one line.
   */
  print(human: string, json: unknown): void
  /** The printed answer says that something is wrong: the exit status will be 1. */
  failed(): void
}

/** A command that can't do what it was asked for: its message is printed, without a stack. */
export class CommandError extends Error {
  override name = 'CommandError'
  /**
   * @param status 1: it failed; 2: it was called wrongly.
   * @param code Stable name for machines, printed with `--json`.
   */
  constructor(
    message: string,
    readonly status: 1 | 2 = 1,
    readonly code: string = status === 2 ? 'USAGE' : 'FAILED',
  ) {
    super(message)
  }
}
