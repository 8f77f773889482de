import { readdirSync, readFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { version as kernel } from 'node:process'

/** A line about the machine of the measurement. */
export function machine(tools: Record<string, string> = {}): string {
  const cpu = cpus()
  const { version: sqlite } = new (require('bun:sqlite').Database)(':memory:')
    .query('SELECT sqlite_version() AS version')
    .get() as { version: string }
  const versions = { bun: Bun.version, sqlite, node: kernel, ...tools }
  const gib = (totalmem() / 2 ** 30).toFixed(0)
  return `${cpu.length} × ${cpu[0]?.model ?? 'unknown CPU'}, ${gib} GiB; ${Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ')}`
}

/** Version of a program, or an error that says what to install. */
export function versionOf(program: string, args: string[], pattern: RegExp): string {
  const path = Bun.which(program)
  if (path === null) {
    throw new Error(`This figure needs ${program}. On Debian: apt-get install nginx-light wrk`)
  }
  const run = Bun.spawnSync([path, ...args], { stdout: 'pipe', stderr: 'pipe' })
  return pattern.exec(`${run.stdout}${run.stderr}`)?.[1] ?? 'unknown'
}

/** Reports how much CPU time other virtual machines took: above some 3 % figures are unreliable. */
export function watchStolen(): () => string {
  // Column 8 of the line (proc(5)): hundredths of a second, of all processors.
  const stolen = () => Number(readFileSync('/proc/stat', 'utf8').split(/\s+/, 9)[8]) / 100
  const [before, start] = [stolen(), performance.now()]
  return () => {
    const seconds = ((performance.now() - start) / 1_000) * cpus().length
    return `${((100 * (stolen() - before)) / seconds).toFixed(1)} %`
  }
}

/** CPU of a process so far, including threads but not children, in seconds. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  // utime and stime (proc(5)); the kernel counts in hundredths.
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** The same for a process and its living descendants. */
export function familyCpuSeconds(pid: number): number {
  return family(pid).reduce((sum, member) => sum + cpuSecondsOf(member), 0)
}

function cpuSecondsOf(pid: number): number {
  try {
    return cpuSeconds(pid)
  } catch {
    return 0
  }
}

/** A process and its descendants. */
export function family(pid: number): number[] {
  const parents = new Map<number, number>()
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    const parent = parentOf(Number(entry))
    if (parent !== null) parents.set(Number(entry), parent)
  }
  const found = [pid]
  for (const known of found) {
    for (const [child, parent] of parents) if (parent === known) found.push(child)
  }
  return found
}

/** The parent of a process; null: it has ended, even if it is still listed. */
export function parentOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return state === 'Z' ? null : Number(parent)
  } catch {
    return null
  }
}

/** Memory of a process and its descendants in MB: resident, and with shared pages divided (PSS). */
export function memoryMb(pid: number): { rss: number; pss: number } {
  let rss = 0
  let pss = 0
  for (const member of family(pid)) {
    const rollup = readFileSync(`/proc/${member}/smaps_rollup`, 'utf8')
    rss += Number(/^Rss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0)
    pss += Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0)
  }
  return { rss: rss / 1024, pss: pss / 1024 }
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/** The `q` quantile (nearest rank). */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(q * sorted.length) - 1)] ?? Number.NaN
}

/** Memory of a process in megabytes: total, anonymous, and mapped files. */
export type Memory = Record<'all' | 'own' | 'mapped', number>

/** The current memory of a process. */
export function memoryOf(pid: number): Memory {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8')
  const of = (name: string) =>
    Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(text)?.[1] ?? 0) / 1_000)
  return { all: of('VmRSS'), own: of('RssAnon'), mapped: of('RssFile') }
}

/** The peak memory of a process from now on, until it is called. */
export function watchMemory(pid: number): () => Memory {
  const peak = memoryOf(pid)
  const sample = () => {
    const now = memoryOf(pid)
    for (const name of ['all', 'own', 'mapped'] as const)
      peak[name] = Math.max(peak[name], now[name])
  }
  const sampling = setInterval(sample, 20)
  return () => {
    clearInterval(sampling)
    sample()
    return peak
  }
}
