import { expect, test } from 'bun:test'

const onLinux = test.skipIf(process.platform !== 'linux')

/** Runs a program of its own beside these modules; gives the JSON that it prints. */
function run<T>(program: string, wrapper: string[] = []): T {
  const { stdout, stderr } = Bun.spawnSync([...wrapper, process.execPath, '-e', program], {
    cwd: import.meta.dir,
  })
  if (stderr.length > 0) throw new Error(stderr.toString())
  return JSON.parse(stdout.toString()) as T
}

const POLICIES = `
  import { readdirSync, readFileSync } from 'node:fs'
  import { createPriority } from './priority.ts'
  // Numbers 19 and 41 of proc_pid_stat(5).
  const threads = () => [...new Set(readdirSync('/proc/self/task').map((thread) => {
    const stat = readFileSync('/proc/self/task/' + thread + '/stat', 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[16] + ' ' + fields[38]
  }))]
  const priority = createPriority()
  const seen = [threads()]
  for (const yields of [true, false]) {
    priority.yield(yields)
    seen.push(threads())
  }
  console.log(JSON.stringify(seen))`

onLinux('all threads yield and come back, or none does either', () => {
  const [lowered, yielding, back] = run<[string[], string[], string[]]>(POLICIES)
  expect(lowered).toEqual([expect.stringMatching(/^([7-9]|1\d) 0$/)])
  expect(back).toEqual(lowered)
  expect([lowered, lowered.map((one) => one.replace(/0$/, '5'))]).toContainEqual(yielding)
})

const withoutRights = ['setpriv', '--bounding-set', '-sys_nice', '--inh-caps', '-sys_nice']
const canDrop =
  process.platform === 'linux' && process.getuid?.() === 0 && Bun.which('setpriv') !== null

test.skipIf(!canDrop)('who could not come back does not yield', () => {
  const [lowered, yielding, back] = run<[string[], string[], string[]]>(POLICIES, withoutRights)
  expect([yielding, back]).toEqual([lowered, lowered])
})

onLinux('code that is let go of runs again', () => {
  const [before, after, sum] = run<[number, number, number]>(`
    import { openStatistics } from '../store/duckdb.ts'
    import { letGoOfCode } from './code-pages.ts'
    import { tmpdir } from 'node:os'
    import { join } from 'node:path'
    import { mkdtempSync, rmSync } from 'node:fs'
    const dir = mkdtempSync(join(tmpdir(), 'slugline-code-'))
    const database = await openStatistics(join(dir, 'statistics.duckdb'))
    const connection = await database.connect()
    const sum = async () => (await connection.all('SELECT sum(range)::INTEGER AS n FROM range(10)'))[0].n
    await sum()
    const before = process.memoryUsage.rss()
    letGoOfCode()
    const after = process.memoryUsage.rss()
    console.log(JSON.stringify([before, after, await sum()]))
    database.close()
    rmSync(dir, { recursive: true })`)
  expect(after).toBeLessThan(before)
  expect(sum).toBe(45)
})
