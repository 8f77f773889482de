import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DataDirLocked, lockDataDir, lockState } from './lock.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'slugline-lock-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

/** Another process that takes the lock and holds it until it is killed. */
async function holder() {
  const script = `
    const { lockDataDir } = await import(${JSON.stringify(join(import.meta.dir, 'lock.ts'))})
    lockDataDir(${JSON.stringify(dir)})
    console.log('held')
    setInterval(() => {}, 1000)`
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe' })
  const reader = child.stdout.getReader()
  await reader.read()
  return child
}

describe('the lock of the data directory', () => {
  test('keeps a second server out, and names the directory and the holder', async () => {
    const child = await holder()
    try {
      let refusal: unknown
      try {
        lockDataDir(dir)
      } catch (error) {
        refusal = error
      }
      expect(refusal).toBeInstanceOf(DataDirLocked)
      expect((refusal as DataDirLocked).pid).toBe(child.pid)
      expect((refusal as DataDirLocked).message).toContain(dir)
      expect(lockState(dir)).toEqual({ held: true, pid: child.pid, url: null, publicUrl: null })
    } finally {
      child.kill('SIGKILL')
      await child.exited
    }
  })

  test('is released when the holder is killed', async () => {
    const child = await holder()
    child.kill('SIGKILL')
    await child.exited
    expect(lockState(dir)).toEqual({ held: false, pid: null, url: null, publicUrl: null })
    lockDataDir(dir).release()
  })

  test('can be taken again once it is released', () => {
    const first = lockDataDir(dir)
    expect(() => lockDataDir(dir)).toThrow(DataDirLocked)
    first.release()
    const second = lockDataDir(dir)
    expect(lockState(dir)).toEqual({ held: true, pid: process.pid, url: null, publicUrl: null })
    second.listensOn('http://127.0.0.1:3000', 'https://sho.rt')
    expect(lockState(dir)).toMatchObject({
      url: 'http://127.0.0.1:3000',
      publicUrl: 'https://sho.rt',
    })
    second.release()
  })

  test('can be checked without leaving files', () => {
    expect(lockState(dir)).toEqual({ held: false, pid: null, url: null, publicUrl: null })
    expect(readdirSync(dir)).toEqual([])
  })
})
