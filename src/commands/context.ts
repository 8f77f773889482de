import type { Clock } from '../base/clock.ts'
import type { Ids } from '../base/ids.ts'
import type { Random } from '../base/random.ts'
import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/secret.ts'
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
  /** The settings, read at the first use. @throws ConfigError */
  readonly config: Config
  /** Whether the command was called with `--json`, which every command has by itself. */
  readonly json: boolean
  /**
   * Opens the data, its tables brought up to date, runs `work` and closes it again. May be used
   * while the server runs.
   */
  withStorage<T>(work: (opened: CommandStorage) => Promise<T>): Promise<T>
  /**
   * Answers on stdout: `human` (lines without a trailing newline) or, with `--json`, `json` on
   * one line.
   */
  print(human: string, json: unknown): void
  /** What was printed says that something is wrong: the exit status will be 1. */
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
