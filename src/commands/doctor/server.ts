import { type Config, listeningUrl } from '../../config/index.ts'
import { lockState } from '../../operations/index.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

const ANSWER_WITHIN_MS = 3_000

/** Whether a server runs on this data, and how it says it does. */
export async function checkServer({ dataDir, host, port }: Config): Promise<Finding[]> {
  const { held, pid, url } = lockState(dataDir)
  if (!held) return [ok('server', 'none runs on this data directory'), checkPort(host, port)]
  const who = `runs${pid === null ? '' : ` as process ${pid}`}`
  return [ok('server', who), await askReadiness(url ?? listeningUrl(host, port))]
}

async function askReadiness(url: string): Promise<Finding> {
  try {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) })
    const body = (await answer.json()) as {
      checks: { name: string; status: string; reason?: string }[]
    }
    const failing = body.checks.filter((check) => check.status !== 'ok')
    if (failing.length === 0) return ok('readiness', `${url}/readyz says that all is well`)
    const list = failing
      .map(({ name, status, reason }) => `${name} ${status} (${reason})`)
      .join(', ')
    return answer.ok
      ? warning('readiness', list, "the server's log says more")
      : problem('readiness', list, "the server's log says more")
  } catch {
    return problem(
      'readiness',
      `${url}/readyz doesn't answer`,
      'if it is not just starting or stopping, it hangs: restart it',
    )
  }
}

function checkPort(host: string, port: number): Finding {
  try {
    Bun.listen({ hostname: host, port, socket: { data() {} } }).stop(true)
    return ok('port', `${host}:${port} is free`)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return problem('port', `${host}:${port} can't be listened on (${code})`, 'change HOST or PORT')
  }
}
