import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from './eventually.ts'
import { compareStored, createLinks, drained, linkOf } from './kill-run.ts'
import { FATE, type MarkedClicks, sendMarkedClicks } from './marked-clicks.ts'
import { BASE_ENV, SLUGLINE, type Slugline, startSlugline } from './process.ts'
import { startWrites } from './writes.ts'

/** Options of a run. */
export interface BackupRunOptions {
  clicks: number
  links: number
  /** The process killed during each backup; null: none. */
  backups: readonly ('backup' | 'server' | 'statistics' | null)[]
}

/** The result of one backup. */
export interface BackupResult {
  killed: 'backup' | 'server' | 'statistics' | null
  /** Null: it was interrupted, or refused. */
  restored: Awaited<ReturnType<typeof compareStored>> | null
  answeredBefore: number
  writtenBefore: number
  writesMissing: number
  /** Links whose counters had to be repaired. */
  mended: number
  /** The errors of verify and restore for an interrupted backup. */
  refusals: string[]
}

/** Backs an instance up while it is visited and written to, and compares the restored copy. */
export async function backupRun({ clicks, links, backups }: BackupRunOptions) {
  const folder = mkdtempSync(join(tmpdir(), 'slugline-backups-'))
  const slugline = await startSlugline()
  const results: BackupResult[] = []
  let load: MarkedClicks | undefined
  try {
    const { key } = await slugline.createKey()
    await createLinks(slugline, key, links)
    load = sendMarkedClicks({
      port: Number(new URL(slugline.url).port),
      clicks,
      connections: 8,
      request: (mark) => ({
        path: `/k${linkOf(mark, links)}?utm_term=${mark}`,
        headers: 'User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0\r\n',
      }),
    })
    const writes = startWrites({ nodes: [slugline], key, name: 'w', isUp: () => true })
    const begun = load
    const made: {
      directory: string
      killed: BackupResult['killed']
      at: Uint8Array
      written: string[]
    }[] = []
    for (const [i, killed] of backups.entries()) {
      const wanted = ((i + 1) / (backups.length + 1)) * clicks
      await eventually(
        'clicks are answered',
        () => (begun.answered >= wanted ? true : undefined),
        120_000,
      )
      const directory = join(folder, `${i}`)
      made.push({ directory, killed, at: begun.fates.slice(), written: writes.made() })
      await backUp(slugline, directory, killed)
    }
    await load.done
    await writes.stop()
    await drained(slugline)
    await slugline.stop()
    const own = await slugline.cli('clicks', 'recount', '--json')
    const harmed = await compareStored(slugline, load.fates, links)
    for (const { directory, killed, at, written } of made) {
      const before = load.fates.map((fate, mark) =>
        fate === FATE.answered && at[mark] !== FATE.answered ? FATE.unknown : fate,
      )
      const found = {
        killed,
        answeredBefore: before.filter((fate) => fate === FATE.answered).length,
      }
      const compared = await compare({ directory, links, before, written, key })
      results.push({ ...found, writtenBefore: written.length, ...compared })
    }
    return { results, harmed, mended: (JSON.parse(own.stdout) as { mended: number }).mended }
  } catch (error) {
    console.error(slugline.output().slice(-4000))
    throw error
  } finally {
    load?.stop()
    await slugline.dispose()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Makes a backup; kills a process once it has started. */
async function backUp(slugline: Slugline, directory: string, killed: BackupResult['killed']) {
  const child = Bun.spawn([SLUGLINE, 'backup', directory], {
    env: { ...BASE_ENV, ...slugline.env },
    stdout: 'ignore',
    stderr: 'pipe',
  })
  if (killed !== null) {
    const partial = () => existsSync(`${directory}.partial`) || child.exitCode !== null
    while (!partial()) await Bun.sleep(1)
    await Bun.sleep(Math.random() * 30)
    if (killed === 'backup') child.kill('SIGKILL')
    else if (killed === 'server') await slugline.kill()
    else await killStatistics(slugline)
  }
  const stderr = await new Response(child.stderr).text()
  const status = await child.exited
  if (killed === 'server') await slugline.restart()
  if (killed === null && status !== 0) throw new Error(`backup failed: ${stderr}`)
}

async function killStatistics(slugline: Slugline): Promise<void> {
  const { childOf } = await import('./children.ts')
  const pid = childOf(slugline.pid, 'statistics')
  if (pid !== undefined) process.kill(pid, 'SIGKILL')
}

/** Restores a backup, starts a server on it, and compares. */
async function compare(made: {
  directory: string
  links: number
  before: Uint8Array
  written: readonly string[]
  key: string
}) {
  const { directory, links, before, written, key } = made
  const dataDir = mkdtempSync(join(tmpdir(), 'slugline-restored-'))
  const none = { restored: null, writesMissing: 0, mended: 0 }
  const { runCommand } = await import('./process.ts')
  const run = (...args: string[]) =>
    runCommand([...args, '--json'], { ...BASE_ENV, SLUGLINE_DATA_DIR: dataDir })
  const codeOf = ({ stderr }: { stderr: string }) => JSON.parse(stderr).error.code as string
  const partial = `${directory}.partial`
  if (!existsSync(directory)) {
    const left = existsSync(partial) ? partial : directory
    const refused = [await run('backup', 'verify', left), await run('restore', left)]
    rmSync(dataDir, { recursive: true })
    return { ...none, refusals: refused.map(codeOf) }
  }
  for (const command of [
    ['backup', 'verify', directory],
    ['restore', directory],
  ]) {
    const { status, stderr } = await run(...command)
    if (status !== 0) throw new Error(`${command[0]} failed: ${stderr}`)
  }
  const restored = await startSlugline({}, { dataDir })
  try {
    await drained(restored)
    const there = await externalIds(restored, key)
    await restored.stop()
    const { stdout } = await restored.cli('clicks', 'recount', '--json')
    const { mended } = JSON.parse(stdout) as { mended: number }
    const writesMissing = written.filter((id) => !there.has(id)).length
    const stored = await compareStored(restored, before, links)
    return { restored: stored, writesMissing, mended, refusals: [] }
  } finally {
    await restored.dispose()
  }
}

async function externalIds(slugline: Slugline, key: string): Promise<Set<string>> {
  const found = new Set<string>()
  for (let next: string | null = ''; next !== null; ) {
    const from: string = next === '' ? '' : `&cursor=${encodeURIComponent(next)}`
    const answer = await slugline.call('GET', `/api/v1/links?limit=100${from}`, { key })
    const { data, pagination } = (await answer.json()) as {
      data: { external_id: string }[]
      pagination: { next_cursor: string | null }
    }
    for (const { external_id } of data) found.add(external_id)
    next = pagination.next_cursor
  }
  return found
}
