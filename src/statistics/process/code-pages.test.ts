import { expect, test } from 'bun:test'
import { untouched } from './code-pages.ts'

const PROGRAM = `
  import { openDuckDb } from '../engine/duckdb/index.ts'
  import { letGoOfCode } from './code-pages.ts'
  import { tmpdir } from 'node:os'
  import { join } from 'node:path'
  import { mkdtempSync, rmSync } from 'node:fs'
  const dir = mkdtempSync(join(tmpdir(), 'slugline-code-'))
  const database = await openDuckDb(join(dir, 'statistics.duckdb'))
  const connection = await database.connect()
  const sum = async () => Number((await connection.run('SELECT sum(range) FROM range(10)'))[0][0])
  await sum()
  const before = process.memoryUsage.rss()
  letGoOfCode()
  const after = process.memoryUsage.rss()
  console.log(JSON.stringify([before, after, await sum()]))
  database.close()
  rmSync(dir, { recursive: true })`

test.skipIf(process.platform !== 'linux')('code that is let go of runs again', () => {
  const { stdout } = Bun.spawnSync([process.execPath, '-e', PROGRAM], { cwd: import.meta.dir })
  const [before, after, sum] = JSON.parse(stdout.toString()) as [number, number, number]
  expect(after).toBeLessThan(before)
  expect(sum).toBe(45)
})

/** A mapping as smaps tells it, without the lines that don't matter. */
const mapping = (head: string, anonymous = 0, swap = 0) =>
  `${head}\nRss:  64 kB\nAnonymous:  ${anonymous} kB\nAnonHugePages:  0 kB\nSwap:  ${swap} kB\nVmFlags: rd mr mw me\n`

test('only what is as in its file is let go of', () => {
  const code = mapping('1000-3000 r-xp 00001000 fe:00 7     /lib/a library.so')
  const texts = mapping('a000-b000 r--p 00000000 fe:00 7     /lib/a library.so')
  const others = [
    mapping('3000-4000 r--p 00003000 fe:00 7     /lib/a library.so', 4),
    mapping('4000-5000 r--p 00004000 fe:00 7     /lib/a library.so', 0, 4),
    mapping('5000-6000 rw-p 00005000 fe:00 7     /lib/a library.so'),
    mapping('6000-7000 r-xp 00000000 00:00 0 '),
    mapping('7000-8000 r-xp 00000000 00:00 0     [vdso]'),
    mapping('8000-9000 r--s 00000000 fe:00 9     /data/file'),
  ]
  expect([...untouched([others[0], code, ...others, texts].join(''))]).toEqual([
    { start: 0x1000n, end: 0x3000n },
    { start: 0xa000n, end: 0xb000n },
  ])
})
