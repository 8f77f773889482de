import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { systemClock } from '../base/clock.ts'
import { type Config, type Environment, unknownVariables } from '../config/index.ts'
import { databaseFiles } from '../storage/index.ts'
import type { MutableContext } from './create-context.ts'
import { checkAccounts, checkMail, checkSignIn, checkSingleSignOn } from './doctor/accounts.ts'
import { checkConfiguration } from './doctor/configuration.ts'
import {
  checkClock,
  checkIntegrity,
  checkMigrations,
  checkPlans,
  checkVersions,
} from './doctor/database.ts'
import {
  checkBacklog,
  checkDataDir,
  checkDisk,
  checkFiles,
  checkSecret,
  isDirectory,
} from './doctor/files.ts'
import { type Finding, problem } from './doctor/finding.ts'
import { checkServer } from './doctor/server.ts'
import { checkStatistics } from './doctor/statistics.ts'

/** `doctor`: looks at everything that goes wrong, and says what to do. Changes nothing. */
export function registerDoctorCommand(program: Command, context: MutableContext): void {
  program
    .command('doctor')
    .description('check settings, data, clock, permissions and versions; says what to do')
    .action(async () => {
      const findings = await examine(() => context.environment)
      const healthy = findings.every((finding) => finding.status !== 'problem')
      context.print(render(findings), { healthy, findings })
      if (!healthy) context.failed()
    })
}

/** All the doctor's findings. */
export async function examine(
  read: () => Environment,
  unknown: () => string[] = unknownVariables,
  clock = systemClock,
): Promise<Finding[]> {
  const { settings, findings } = await checkConfiguration(read, unknown)
  findings.push(checkVersions())
  if (settings === null) return findings
  const { config, secret } = settings.environment
  const { dataDir } = config
  findings.push(checkDataDir(dataDir))
  if (!isDirectory(dataDir)) return findings
  findings.push(checkFiles(dataDir))
  findings.push(checkDisk(dataDir), ...checkBacklog(dataDir))
  const { scaled } = config
  if (scaled !== null) {
    const { checkPostgres } = await import('./doctor/postgres.ts')
    const { checkRedis } = await import('./doctor/redis.ts')
    findings.push(
      ...(await guarded('database', () =>
        checkPostgres(scaled, { plans: settings.plans, secret, dataDir }, clock),
      )),
      ...(await guarded('redis', () => checkRedis(scaled.redis))),
      ...(await checkOutside(config)),
    )
    return findings
  }
  findings.push(...(await guarded('secret', () => [checkSecret(dataDir, secret)])))
  findings.push(...(await guarded('clock', async () => [await checkClock(dataDir, clock)])))
  findings.push(...checkIntegrity(dataDir))
  if (existsSync(databaseFiles(dataDir).main)) {
    findings.push(...(await guarded('migrations', async () => [await checkMigrations(dataDir)])))
    findings.push(...(await guarded('plans', () => checkPlans(dataDir, settings.plans))))
    findings.push(...(await guarded('accounts', () => [checkAccounts(dataDir)])))
  }
  findings.push(...(await guarded('statistics', () => checkStatistics(dataDir))))
  findings.push(...(await checkOutside(config)))
  return findings
}

/** How people sign in, who else is needed for it, and the server that runs. */
async function checkOutside(config: Config): Promise<Finding[]> {
  return [
    ...checkSignIn(config),
    ...(await guarded('mail', async () => [await checkMail(config)])),
    ...(await guarded('single_sign_on', () => checkSingleSignOn(config))),
    ...(await guarded('server', () => checkServer(config))),
  ]
}

/** A check that can't even be made is a finding, too: the others still count. */
async function guarded(
  check: string,
  examine: () => Finding[] | Promise<Finding[]>,
): Promise<Finding[]> {
  try {
    return await examine()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return [problem(check, `could not be checked: ${reason}`, 'see the other findings first')]
  }
}

function render(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length))
  const lines = findings.flatMap(({ status, check, message, advice }) => [
    `${status.padEnd(7)}  ${check.padEnd(width)}  ${message}`,
    ...(advice === undefined ? [] : [`${' '.repeat(width + 11)}→ ${advice}`]),
  ])
  const worst = ['problem', 'warning'].find((status) => findings.some((f) => f.status === status))
  return [...lines, '', worst === undefined ? 'All is well.' : `There is a ${worst}.`].join('\n')
}
