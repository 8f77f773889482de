import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { family, parentOf } from '../../bench/lib/machine.ts'
import { BASE_ENV } from '../harness/process.ts'

const BENCH = resolve(import.meta.dir, '../../bench')
const folder = mkdtempSync(join(tmpdir(), 'slugline-benches-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a stopped bench leaves neither files nor processes', async () => {
  const child = Bun.spawn([process.execPath, join(BENCH, 'soak.ts'), '--rate', '20'], {
    env: { ...BASE_ENV, TMPDIR: folder },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const reader = child.stdout.getReader()
  const decoder = new TextDecoder()
  let output = ''
  // Its first row comes from a running server.
  while (!output.includes('serve ')) {
    const { done, value } = await reader.read()
    if (done) throw new Error(`The bench ended: ${output}`)
    output += decoder.decode(value, { stream: true })
  }
  const [, ...started] = family(child.pid)
  expect(started.length).toBeGreaterThan(0)
  expect(readdirSync(folder)).toHaveLength(1)
  child.kill('SIGTERM')
  expect(await child.exited).toBe(1)
  expect(readdirSync(folder)).toEqual([])
  expect(started.filter((pid) => parentOf(pid) !== null)).toEqual([])
})

test('every bench writes to the directory that it cleans up', () => {
  for (const name of readdirSync(BENCH).filter((name) => name.endsWith('.ts'))) {
    const text = readFileSync(join(BENCH, name), 'utf8')
    expect(text, name).toMatch(/^import .*'\.\/lib\/temporary\.ts'$/m)
    expect(text, name).not.toMatch(/mkdtemp|tmpdir/)
  }
})
