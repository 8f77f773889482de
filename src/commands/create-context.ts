import { systemClock } from '../base/clock.ts'
import { createIds } from '../base/ids.ts'
import { systemRandom } from '../base/random.ts'
import { type Environment, ensureDataDir, readEnvironment } from '../config/index.ts'
import { loadPlans } from '../plans/load.ts'
import { createPlans } from '../plans/service.ts'
import type { CommandContext } from './context.ts'
import { type Output, toStdout } from './output.ts'

/** The context of one run of a command. */
export function createContext(
  read: () => Environment = readEnvironment,
  output: Output = toStdout,
): CommandContext {
  let environment: Environment | undefined
  let exitStatus: 0 | 1 = 0
  const context: CommandContext = {
    json: false,
    get exitStatus() {
      return exitStatus
    },
    failed() {
      exitStatus = 1
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
      const given = { clock: systemClock, random: systemRandom, plans }
      try {
        return await work({ storage, secrets, ids: createIds(systemClock, systemRandom), ...given })
      } finally {
        await storage.close()
      }
    },
  }
  return context
}
