import { expect, test } from 'bun:test'

const onLinux = test.skipIf(process.platform !== 'linux')

/** Runs a program of its own beside these modules; gives the JSON that it prints. */
function run<T>(program: string, argument: string, wrapper: string[] = []): T {
  const command = [...wrapper, process.execPath, '-e', program, argument]
  const { stdout, stderr } = Bun.spawnSync(command, { cwd: import.meta.dir })
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
  const priority = createPriority(Number(process.argv[1]))
  const seen = [threads()]
  for (const which of ['all', 'helpers', 'none']) {
    priority.yield(which)
    seen.push(threads())
  }
  console.log(JSON.stringify(seen))`

onLinux('all threads yield and come back, or none does either', () => {
  const [lowered, all, helpers, back] = run<string[][]>(POLICIES, '7')
  expect(lowered).toEqual([expect.stringMatching(/^([7-9]|1\d) 0$/)])
  expect(back).toEqual(lowered)
  const share = lowered?.[0] as string
  const idle = share.replace(/0$/, '5')
  expect([[share], [idle]]).toContainEqual(all as string[])
  expect(helpers?.toSorted()).toEqual(all?.[0] === idle ? [share, idle] : [share])
})

const withoutRights = ['setpriv', '--bounding-set', '-sys_nice', '--inh-caps', '-sys_nice']
const canDrop =
  process.platform === 'linux' && process.getuid?.() === 0 && Bun.which('setpriv') !== null

test.skipIf(!canDrop)('who could not come back does not yield', () => {
  const [lowered, ...later] = run<string[][]>(POLICIES, '7', withoutRights)
  expect(later).toEqual([lowered, lowered, lowered] as string[][])
})

onLinux('a niceness of 0 gives way to nobody', () => {
  const [lowered, ...later] = run<string[][]>(POLICIES, '0')
  expect(lowered).toEqual([expect.stringMatching(/^\d+ 0$/)])
  expect(later).toEqual([lowered, lowered, lowered] as string[][])
})
