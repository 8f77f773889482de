import { expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeWhole } from './make-whole.ts'

test('what a process that has ended left is deleted; what another one is making stays', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'slugline-make-'))
  try {
    const ended = Bun.spawn(['true'])
    await ended.exited
    const file = join(directory, 'made')
    const theirs = `made.new-${process.ppid}`
    for (const name of [theirs, `made.new-${ended.pid}`, `made.new-${ended.pid}.wal`]) {
      writeFileSync(join(directory, name), '')
    }
    await makeWhole(file, async (path) => writeFileSync(path, 'whole'))
    expect(readdirSync(directory).sort()).toEqual(['made', theirs])
    expect(await Bun.file(file).text()).toBe('whole')
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})
