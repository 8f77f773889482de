import { systemClock } from '../base/clock.ts'
import { createIds } from '../base/ids.ts'
import { systemRandom } from '../base/random.ts'
import { type Environment, ensureDataDir, readEnvironment } from '../config/index.ts'
import { loadPlans } from '../plans/load.ts'
import { createPlans } from '../plans/service.ts'
import type { CommandContext } from './context.ts'
import { toStdout } from './output.ts'

/** Where a command's answers go: stdout, or a test's list. */
export type Output = (text: string) => void

/** A context whose `--json` is known once the arguments are parsed. */
export interface MutableContext extends CommandContext {
  json: boolean
  exitStatus: 0 | 1
  readonly environment: Environment
}

/** The context of one run of a command. */
export function createContext(
  read: () => Environment = readEnvironment,
  output: Output = toStdout,
): MutableContext {
  let environment: Environment | undefined
  const context: MutableContext = {
    json: false,
    exitStatus: 0,
    failed() {
      context.exitStatus = 1
    },
    get environment() {
      environment ??= read()
      return environment
    },
    get config() {
      return context.environment.config
    },
    print(human, json) {
      output(`${context.json ? JSON.stringify(json) : human}\n`)
    },
    async withStorage(work) {
      const { config, secret } = context.environment
      const plans = createPlans(await loadPlans(config.plansFile))
      ensureDataDir(config.dataDir)
      const { openDatabase } = await import('../backend/databases.ts')
      const { prepare } = await import('../backend/prepare.ts')
      const { secrets } = await prepare(config, { given: secret, isNode: false })
      const storage = await openDatabase(config)
      const ids = createIds(systemClock, systemRandom)
      try {
        return await work({
          storage,
          secrets,
          clock: systemClock,
          ids,
          random: systemRandom,
          plans,
        })
      } finally {
        await storage.close()
      }
    },
  }
  return context
}
