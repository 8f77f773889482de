import type { Command } from 'commander'
import packageFile from '../../../package.json' with { type: 'json' }
import { loadPlans } from '../../features/plans/load.ts'
import { systemClock } from '../../lib/base/clock.ts'
import type { Plan } from '../../model/plans/types.ts'
import { type Environment, unknownVariables } from '../../platform/config/index.ts'
import { assertNoNode } from '../../server/backend/databases.ts'
import type { CommandContext } from '../context.ts'
import { checkBackups } from './backups.ts'
import { checkEmbedded } from './databases.ts'
import { checkDataDir, checkSecret, checkServer } from './directory.ts'
import { type Finding, guarded, ok, warning } from './finding.ts'
import { checkMail, checkSettings, checkSingleSignOn } from './settings.ts'

/** `doctor`: checks an instance for problems, and advises what to do. Read-only. */
export function registerDoctorCommand(program: Command, context: CommandContext): void {
  program
    .command('doctor')
    .description('check the installation and suggest fixes')
    .action(async () => {
      const findings = await examine(() => context.environment)
      const healthy = findings.every((finding) => finding.status !== 'problem')
      context.print(render(findings), { healthy, findings })
      if (!healthy) context.failed()
    })
}

/** All findings of the doctor. */
export async function examine(
  read: () => Environment,
  unknown = unknownVariables(),
  clock = systemClock,
): Promise<Finding[]> {
  const findings: Finding[] = []
  const add = async (...[check, advice, work]: Parameters<typeof guarded>) =>
    void findings.push(...(await guarded(check, advice, work)))
  let plans: readonly Plan[] = []
  await add('configuration', 'see docs/configuration.md', async () => {
    plans = await loadPlans(read().config.plansFile)
    return [ok('configuration', `${plans.length} plans`), ...checkSettings(read(), unknown)]
  })
  findings.push(checkVersions())
  if (findings[0]?.status === 'problem') return findings
  const { config, secret } = read()
  const { dataDir, scaled } = config
  const directory = checkDataDir(dataDir)
  if (directory === null) {
    const advice = 'the first start makes it: slugline serve'
    return [...findings, warning('data_dir', `${dataDir} doesn't exist`, advice)]
  }
  findings.push(...directory)
  const expected = { plans, clock }
  if (scaled === null) {
    await add('secret', 'restore it from a backup', () => checkSecret(dataDir, secret))
    await add('database', 'set DATABASE_URL', () => {
      assertNoNode(dataDir)
      return ok('database', 'SQLite, in the data directory')
    })
    findings.push(...(await checkEmbedded(config, expected)))
    findings.push(...checkBackups(config, clock))
  } else {
    const { checkShared } = await import('./shared.ts')
    findings.push(...(await checkShared(read(), scaled, expected)))
  }
  const smtp = 'check SMTP_URL: host, port, scheme, user and encoded password'
  await add('mail', smtp, () => checkMail(config))
  await add('single_sign_on', 'check OIDC_ISSUER; see docs/accounts.md', () =>
    checkSingleSignOn(config),
  )
  await add('server', "the server's log says more", () => checkServer(config))
  return findings
}

function checkVersions(): Finding {
  const found = `Slugline ${packageFile.version}, Bun ${Bun.version}`
  const wanted = packageFile.dependencies.bun
  if (Bun.version === wanted) return ok('versions', found)
  return warning('versions', found, `this version was tested with Bun ${wanted}: npm ci`)
}

function render(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length))
  const lines = findings.flatMap(({ status, check, message, advice }) => [
    `${status.padEnd(7)}  ${check.padEnd(width)}  ${message}`,
    ...(advice === undefined ? [] : [`${' '.repeat(width + 11)}→ ${advice}`]),
  ])
  const count = (status: Finding['status']) =>
    findings.filter((finding) => finding.status === status).length
  const numbers = [plural(count('problem'), 'problem'), plural(count('warning'), 'warning')]
  return [...lines, '', numbers.join(', ')].join('\n')
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
