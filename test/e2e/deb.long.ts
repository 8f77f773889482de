// The Debian package: installed, upgraded, removed and purged by dpkg, in a copy of this machine.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { eventually } from '../harness/eventually.ts'
import { freePort } from '../harness/free-port.ts'
import { type Machine, machineMissing, openMachine } from '../harness/machine.ts'

const ROOT = resolve(import.meta.dir, '../..')
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const LINTIAN = Bun.which('lintian')
const TOOLS = ['dpkg-deb', 'systemd-sysusers', 'deb-systemd-helper']
const tool = TOOLS.find((name) => Bun.which(name) === null)
const missing = tool === undefined ? await machineMissing() : `needs ${tool}`

let folder: string
let deb: string
let machine: Machine
beforeAll(async () => {
  if (missing !== undefined) return
  folder = mkdtempSync(join(tmpdir(), 'slugline-deb-test-'))
  const built = Bun.spawnSync(
    [process.execPath, join(ROOT, 'scripts/package.ts'), '--deb', folder],
    { stderr: 'inherit' },
  )
  expect(built.exitCode).toBe(0)
  const [name = ''] = readdirSync(folder)
  deb = join(folder, name)
  machine = await openMachine(folder)
}, 600_000)
afterAll(async () => {
  await machine?.dispose()
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
})

/** The same package with a higher version; not compressed, to be fast. */
function nextVersion(): { file: string; version: string } {
  const tree = join(folder, 'next')
  const file = join(folder, 'next.deb')
  machine.run(`dpkg-deb -R ${deb} ${tree}`)
  const version = `${machine.run(`dpkg-deb -f ${deb} Version`)}+next`
  machine.run(`sed -i 's/^Version: .*/Version: ${version}/' ${tree}/DEBIAN/control`)
  machine.run(`dpkg-deb --root-owner-group -Znone --build ${tree} ${file}`)
  return { file, version }
}

/** Starts the server as the service does. */
async function serve() {
  const server = machine.spawn('slugline-admin', 'serve')
  const errors = new Response(server.stderr).text()
  const { value } = await server.stdout.getReader().read()
  if (value === undefined) throw new Error(await errors)
  return server
}

test.skipIf(missing !== undefined)(
  `it is installed, serves, is upgraded, removed and purged${missing ? ` (${missing})` : ''}`,
  async () => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    let server: Awaited<ReturnType<typeof serve>> | undefined
    try {
      machine.run(`dpkg -i ${deb}`)
      const status = () =>
        machine.run(`dpkg-query -W -f '\${db:Status-Abbrev} \${Version}' slugline`)
      expect(status()).toStartWith('ii ')
      expect(machine.run("stat -c '%U:%G %a' /var/lib/slugline")).toBe('slugline:slugline 700')
      expect(machine.run("stat -c '%U:%G %a' /etc/slugline/slugline.env")).toBe('root:root 600')
      expect(machine.run('systemd-analyze verify --man=no slugline.service 2>&1')).toBe('')
      const installed = machine.run(`dpkg-query -W -f '\${Installed-Size}' slugline`)
      const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`
      console.log(
        `the Debian package: ${megabytes(statSync(deb).size)}, installed ${megabytes(Number(installed) * 1024)}`,
      )

      machine.run(
        `printf 'PORT=${port}\nMAIL_FROM="Ann <ann@example.com>"\n' >> /etc/slugline/slugline.env`,
      )
      server = await serve()
      expect(machine.run("stat -c '%U %a' /var/lib/slugline/slugline.db")).toBe('slugline 600')
      const claim = JSON.parse(machine.run('slugline-admin users claim-link --json'))
      expect(claim.url).toStartWith(`${url}/app/`)
      const made = machine.run(
        'slugline-admin keys create --workspace main --name first --json --scopes links:read,links:write,stats:read',
      )
      const { key } = JSON.parse(made) as { key: string }
      const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
      const body = JSON.stringify({ destination_url: 'https://example.com/', slug: 'packaged' })
      const link = await fetch(`${url}/api/v1/links`, { method: 'POST', headers, body })
      expect(link.status).toBe(201)
      const visit = () =>
        fetch(`${url}/packaged`, { redirect: 'manual', headers: { 'User-Agent': FIREFOX } })
      expect((await visit()).status).toBe(302)
      await eventually('the click is reported', async () => {
        const report = await fetch(`${url}/api/v1/stats/browser`, { headers })
        const { data } = (await report.json()) as { data?: { clicks: number }[] }
        return data?.[0]?.clicks === 1 ? true : undefined
      })
      server.kill('SIGTERM')
      expect(await server.exited).toBe(0)

      const next = nextVersion()
      machine.run(`dpkg -i ${next.file}`)
      expect(status()).toBe(`ii  ${next.version}`)
      expect(machine.run(`grep -c PORT=${port} /etc/slugline/slugline.env`)).toBe('1')
      server = await serve()
      expect((await visit()).status).toBe(302)
      server.kill('SIGTERM')
      expect(await server.exited).toBe(0)

      machine.run('dpkg -r slugline')
      expect(machine.run('ls /usr/bin/slugline /usr/lib/slugline 2>&1 || true')).toContain(
        'No such',
      )
      expect(machine.run('ls /var/lib/slugline/slugline.db /etc/slugline/slugline.env')).toContain(
        'slugline.db',
      )
      machine.run('dpkg -P slugline')
      expect(machine.run('ls -d /var/lib/slugline /etc/slugline 2>/dev/null || true')).toBe('')
    } finally {
      server?.kill('SIGKILL')
      await server?.exited
    }
  },
)

test.skipIf(missing !== undefined || LINTIAN === null)('lintian has no complaints', () => {
  const checked = Bun.spawnSync([LINTIAN as string, '--tag-display-limit', '0', deb])
  expect(checked.stdout.toString()).toBe('')
})
