// What the unit in deploy/ expects of the program, and whether it protects the rest of the machine.
import { afterEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { eventually } from '../harness/eventually.ts'
import { type Slugline, startSlugline } from '../harness/process.ts'

const DEPLOY = resolve(import.meta.dir, '../../deploy')
const PYTHON = Bun.which('python3')
const ANALYZE = Bun.which('systemd-analyze')
const hasLibrary = /libsystemd\.so\.0/.test(
  Bun.spawnSync(['sh', '-c', 'PATH=$PATH:/sbin ldconfig -p']).stdout.toString(),
)

/** Prints the datagrams that arrive at a Unix socket: Bun has none of these. */
const RECEIVER = `
import socket, sys
receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
receiver.bind(sys.argv[1])
print("bound", flush=True)
while True: print(receiver.recv(4096).decode(), flush=True)`

let folder: string | undefined
let slugline: Slugline | undefined
afterEach(async () => {
  await slugline?.dispose()
  slugline = undefined
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
})

test.skipIf(PYTHON === null || !hasLibrary)(
  'systemd hears when it is ready, that it runs, and that it stops',
  async () => {
    folder = mkdtempSync(join(tmpdir(), 'slugline-systemd-'))
    const socket = join(folder, 'notify')
    const receiver = Bun.spawn([PYTHON as string, '-c', RECEIVER, socket], { stdout: 'pipe' })
    let said = ''
    const read = async () => {
      for await (const chunk of receiver.stdout) said += new TextDecoder().decode(chunk)
    }
    void read()
    const hears = (message: RegExp) =>
      eventually(`${message}`, () => (message.test(said) ? true : undefined))
    try {
      await hears(/bound/)
      slugline = await startSlugline({ NOTIFY_SOCKET: socket, WATCHDOG_USEC: '100000' })
      await hears(/^bound\nREADY=1\n(WATCHDOG=1\n){2}/)
      expect(await slugline.stop()).toBe(0)
      await hears(/STOPPING=1/)
    } finally {
      receiver.kill()
      await receiver.exited
    }
  },
)

test.skipIf(ANALYZE === null)('the unit is well protected', () => {
  const check = (...args: string[]) => {
    const run = Bun.spawnSync([ANALYZE as string, 'security', '--offline=true', ...args])
    return { status: run.exitCode, said: `${run.stdout}${run.stderr}` }
  }
  const unit = join(DEPLOY, 'slugline.service')
  const { said } = check('--no-pager', unit)
  const exposure = Number(/Overall exposure level.*?: ([\d.]+)/.exec(said)?.[1])
  expect(exposure).toBeGreaterThan(0)
  expect(exposure).toBeLessThanOrEqual(3)
})
