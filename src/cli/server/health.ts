import type { Command } from 'commander'
import { isWildcard, listeningUrl, socketPath } from '../../platform/config/index.ts'
import type { HealthReport } from '../../server/operations/health.ts'
import { type CommandContext, CommandError } from '../context.ts'

/** Longer than the server takes to answer: a check of its own takes 2 seconds at most. */
const TIMEOUT_MS = 2_500

/** `health`: asks the server of this machine, for health checks of containers without curl. */
export function registerHealthCommand(program: Command, context: CommandContext): void {
  program
    .command('health')
    .description('ask the running server whether it is ready; exit status 1 if not')
    .option('--live', 'only whether it responds')
    .action((options: { live?: boolean }) => health(context, options))
}

async function health({ config, print }: CommandContext, { live = false }): Promise<void> {
  const { host, port } = config
  const unix = socketPath(host)
  if (unix === null && port === 0)
    throw new CommandError('PORT is 0, so the port of the server is unknown: set PORT', 2)
  const local = host.includes(':') ? '::1' : '127.0.0.1'
  const url = listeningUrl(isWildcard(host) ? local : host, port)
  const origin = unix === null ? url : 'http://localhost'
  const answer = await fetch(`${origin}${live ? '/livez' : '/readyz'}`, {
    ...(unix !== null && { unix }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: Error) => {
    throw new CommandError(`${url} doesn't respond (${error.name})`, 1, 'NOT_RUNNING')
  })
  if (live) return print('live', { status: 'live' })
  const report = (await answer.json().catch(() => null)) as HealthReport | null
  if (report === null) throw new CommandError(`${url} isn't Slugline`, 1, 'NOT_RUNNING')
  const { status, checks } = report
  const failing = checks
    .filter((check) => check.status !== 'ok')
    .map(({ name, reason = 'failed' }) => `${name} (${reason})`)
  const text = [status, ...failing].join(', ')
  if (!answer.ok) throw new CommandError(text, 1, 'NOT_READY')
  print(text, { status, checks })
}
