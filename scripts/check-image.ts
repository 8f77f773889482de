// Runs the steps of deploy/Dockerfile without Docker: the files that .dockerignore lets through are
// copied to an empty folder, its commands are run there, and what comes out is started on its own,
// with its own health check. For machines that have Docker: `docker build -f deploy/Dockerfile .`
// Takes a minute or two, and asks npm's registry for what isn't in npm's cache.
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const ROOT = join(import.meta.dir, '..')
const folder = mkdtempSync(join(tmpdir(), 'slugline-image-'))

interface Instruction {
  name: string
  rest: string
}

/** Its instructions, by stage. */
function stagesOf(dockerfile: string): Instruction[][] {
  const lines = dockerfile
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
  const stages: Instruction[][] = []
  for (const line of lines) {
    const [, name = '', rest = ''] = /^(\S+)\s*(.*)$/.exec(line) ?? []
    if (name === 'FROM') stages.push([])
    stages.at(-1)?.push({ name, rest })
  }
  return stages
}

/** The files that Docker would receive. The last matching pattern decides. */
function contextFiles(ignore: string): string[] {
  const listed = Bun.spawnSync(['git', 'ls-files', '-co', '--exclude-standard', '-z'], {
    cwd: ROOT,
  })
  const patterns = ignore
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ sends: line.startsWith('!'), glob: new Bun.Glob(line.replace(/^!/, '')) }))
  const ways = (path: string) => path.split('/').map((_, i, all) => all.slice(0, i + 1).join('/'))
  return listed.stdout
    .toString()
    .split('\0')
    .filter((path) => path !== '' && existsSync(join(ROOT, path)))
    .filter((path) => {
      const last = patterns.findLast(({ glob }) => ways(path).some((way) => glob.match(way)))
      return last?.sends ?? true
    })
}

function fail(text: string): never {
  console.error(text)
  rmSync(folder, { recursive: true, force: true })
  process.exit(1)
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}

const dockerfile = await Bun.file(join(ROOT, 'deploy/Dockerfile')).text()
const files = contextFiles(await Bun.file(join(ROOT, '.dockerignore')).text())
const [building = [], image = []] = stagesOf(dockerfile)
chmodSync(folder, 0o755)

const build = join(folder, 'build')
mkdirSync(build)
for (const { name, rest } of building) {
  if (name === 'COPY') {
    const words = rest.split(/\s+/)
    const to = words.pop() as string
    for (const file of files) {
      const from = words.find((word) => word === '.' || word === file)
      if (from === undefined) continue
      const target = to.endsWith('/') ? join(to, file.slice(file.lastIndexOf('/') + 1)) : file
      cpSync(join(ROOT, file), join(build, target))
    }
  }
  if (name === 'RUN') {
    console.log(`$ ${rest}`)
    const start = performance.now()
    const child = Bun.spawn(['sh', '-c', rest], { cwd: build, stdout: 'ignore', stderr: 'inherit' })
    if ((await child.exited) !== 0) fail('It failed')
    console.log(`  ${((performance.now() - start) / 1_000).toFixed(1)} s`)
  }
}

const root = join(folder, 'image')
mkdirSync(root, { mode: 0o755 })
const environment: Record<string, string> = {}
const owner = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
let command: string[] = []
let health: string[] = []
for (const { name, rest } of image) {
  if (name === 'COPY' && rest.startsWith('--from=build')) {
    const [, from = '', to = ''] = rest.split(/\s+/)
    mkdirSync(dirname(join(root, to)), { recursive: true })
    cpSync(join(build, from.replace(/^\/build\//, '')), join(root, to))
  }
  if (name === 'ENV') {
    for (const pair of rest.split(/\s+/)) {
      const [key = '', value = ''] = pair.split('=')
      environment[key] = value.startsWith('/') ? join(root, value) : value
      if (value.startsWith('/')) mkdirSync(join(root, value), { recursive: true, mode: 0o755 })
    }
  }
  if (name === 'USER' && owner.uid === 0) {
    const [uid = 0, gid = 0] = rest.split(':').map(Number)
    Object.assign(owner, { uid, gid })
  }
  if (name === 'HEALTHCHECK') health = JSON.parse(rest.slice(rest.indexOf('['))) as string[]
  if (name === 'ENTRYPOINT' || name === 'CMD') command.push(...(JSON.parse(rest) as string[]))
}
for (const value of Object.values(environment)) {
  if (value.startsWith('/')) chownSync(value, owner.uid, owner.gid)
}
const port = await freePort()
Object.assign(environment, { HOST: '127.0.0.1', PORT: String(port) })
environment.PATH = `${join(root, 'usr/local/bin')}:/usr/bin:/bin`
const as =
  process.getuid?.() === 0
    ? ['setpriv', `--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups']
    : []
command = [...as, ...command]
// Deletes the checkout, so that nothing in it can be used.
rmSync(build, { recursive: true })
console.log(`$ ${command.join(' ')}`)
const options = { cwd: root, env: environment, stderr: 'inherit', stdout: 'pipe' } as const
const server = Bun.spawn(command, options)
const { value } = await server.stdout.getReader().read()
console.log(`  ${new TextDecoder().decode(value).trim()}`)
const asked = health.map((word) => word.replace(':3000', `:${port}`))
console.log(`$ ${asked.join(' ')}`)
const isWell =
  (await Bun.spawn([...as, ...asked], { env: environment, stderr: 'inherit' }).exited) === 0
const page = await fetch(`http://127.0.0.1:${port}/app`)
const start = performance.now()
server.kill('SIGTERM')
const late = setTimeout(() => server.kill('SIGKILL'), 20_000)
const status = await server.exited
clearTimeout(late)
console.log(`  stopped with ${status} after ${((performance.now() - start) / 1_000).toFixed(1)} s`)
const isSick =
  (await Bun.spawn([...as, ...asked], { env: environment, stderr: 'ignore' }).exited) !== 0
if (!isWell) fail('The health check fails while it runs')
if (!isSick) fail('The health check succeeds while nothing runs')
if (page.status !== 200) fail('It has no dashboard')
if (status !== 0) fail('It did not stop by itself')
rmSync(folder, { recursive: true, force: true })
console.log('The image works.')
