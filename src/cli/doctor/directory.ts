import { constants, existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { journalDirectory } from '../../clicks/index.ts'
import { assertSecret, type Config, listeningUrl, secretFile } from '../../platform/config/index.ts'
import { diskCheck, isAllowed } from '../../server/operations/checks.ts'
import type { CheckResult, HealthReport } from '../../server/operations/health.ts'
import { lockState } from '../../server/operations/lock.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

const FILES_NAMED = 3
const TIMEOUT_MS = 3_000

/** Whether only this user can use the data directory; null: it doesn't exist yet. */
export function checkDataDir(dataDir: string): Finding[] | null {
  if (modeOf(dataDir) === null) return null
  return [openness('data_dir', dataDir, 0o700), checkFiles(dataDir), checkDisk(dataDir)]
}

/** Whether this user can use the files: commands run by another user may have left files. */
export function checkFiles(dataDir: string, isUsable = isUsableFile): Finding {
  const paths = [dataDir, ...filesIn(dataDir), ...filesIn(journalDirectory(dataDir))]
  const closed = paths.filter((path) => !isUsable(path))
  if (closed.length === 0) return ok('files', `all ${paths.length} can be read and written`)
  const named = closed.slice(0, FILES_NAMED).join(', ')
  return problem(
    'files',
    `this user may not read and write ${closed.length} files: ${named}`,
    `chown -R ${process.getuid?.() ?? 'USER'} ${dataDir} && chmod -R u+rwX ${dataDir}`,
  )
}

/** Whether a start finds the secret of the data. @throws ConfigError */
export function checkSecret(dataDir: string, given: string | null): Finding {
  assertSecret(dataDir, given)
  if (given !== null) return ok('secret', 'given by SLUGLINE_SECRET')
  const file = secretFile(dataDir)
  if (modeOf(file) === null) return ok('secret', 'will be made at the first start')
  return openness('secret', file, 0o600)
}

/** Whether a server runs on this data directory, and whether it is ready. */
export async function checkServer({ dataDir, host, port }: Config): Promise<Finding> {
  const { held, url = null } = lockState(dataDir)
  if (!held) return ok('server', 'none runs on this data directory')
  const address = `${url ?? listeningUrl(host, port)}/readyz`
  const answer = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() => null)
  const report = (await answer?.json().catch(() => null)) as HealthReport | null | undefined
  if (answer === null || !report) {
    const advice = 'if the server is not just starting or stopping, it hangs: restart it'
    return problem('server', `${address} doesn't answer`, advice)
  }
  const faults = report.checks
    .filter((check) => check.status !== 'ok')
    .map(({ name, status, reason }) => `${name} ${status} (${reason})`)
  if (faults.length === 0) return ok('server', `${address} reports no fault`)
  return (answer.ok ? warning : problem)('server', faults.join(', '), 'its log says more')
}

function checkDisk(dataDir: string): Finding {
  const { status, reason } = diskCheck(dataDir).check() as CheckResult
  if (status === 'ok') return ok('disk', `there is space for ${dataDir}`)
  const report = status === 'failed' ? problem : warning
  return report('disk', `the file system of ${dataDir}: ${reason}`, 'free some space')
}

/** Whether only this user can use a file. */
function openness(check: string, path: string, wanted: number): Finding {
  const mode = modeOf(path) ?? 0
  if ((mode & 0o077) === 0) return ok(check, `only this user can read ${path}`)
  const report = check === 'secret' || mode & 0o022 ? problem : warning
  const message = `${path} is open to other users (mode ${mode.toString(8)})`
  return report(check, message, `chmod ${wanted.toString(8)} ${path}`)
}

/** The permissions of a file; null: it doesn't exist. */
function modeOf(path: string): number | null {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode
  return mode === undefined ? null : mode & 0o777
}

/** Empty also for a directory that doesn't exist or can't be read. */
function filesIn(directory: string): string[] {
  try {
    return readdirSync(directory).map((name) => join(directory, name))
  } catch {
    return []
  }
}

/** Also true for a file that was deleted in the meantime. */
const isUsableFile = (path: string) =>
  isAllowed(path, constants.R_OK | constants.W_OK) || !existsSync(path)
