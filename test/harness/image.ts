import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dir, '../..')

/** An image, as a directory, with the settings of its Dockerfile. */
export interface Image {
  /** The root of its files. */
  root: string
  env: Record<string, string>
  uid: number
  gid: number
  /** ENTRYPOINT. */
  entrypoint: string[]
  /** CMD. */
  command: string[]
  /** The command of HEALTHCHECK. */
  health: string[]
  /** VOLUME. */
  volume: string
  dispose(): void
}

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

/**
 * Runs the steps of deploy/Dockerfile without Docker, in empty directories. Only `npm ci` isn't run:
 * the packages are those of this checkout.
 */
export async function buildImage(): Promise<Image> {
  const directory = mkdtempSync(join(tmpdir(), 'slugline-image-'))
  chmodSync(directory, 0o755)
  const dispose = () => rmSync(directory, { recursive: true, force: true })
  try {
    const [building = [], final = []] = stagesOf(
      await Bun.file(join(ROOT, 'deploy/Dockerfile')).text(),
    )
    const build = join(directory, 'build')
    await runStage(building, build)
    const root = join(directory, 'image')
    mkdirSync(root, { mode: 0o755 })
    for (const { name, rest } of final) if (name === 'COPY') copyFromBuild(rest, build, root)
    rmSync(build, { recursive: true })
    return { ...settingsOf(final), root, dispose }
  } catch (error) {
    dispose()
    throw error
  }
}

async function runStage(instructions: readonly Instruction[], build: string): Promise<void> {
  const files = contextFiles(await Bun.file(join(ROOT, '.dockerignore')).text())
  mkdirSync(build)
  let shell = ['/bin/sh', '-c']
  for (const { name, rest } of instructions) {
    if (name === 'SHELL') shell = JSON.parse(rest) as string[]
    if (name === 'COPY') {
      const words = rest.split(/\s+/)
      const to = words.pop() as string
      for (const file of files) {
        if (!words.some((word) => word === '.' || word === file)) continue
        const target = to.endsWith('/') ? join(to, file.slice(file.lastIndexOf('/') + 1)) : file
        cpSync(join(ROOT, file), join(build, target))
      }
    }
    if (name === 'RUN' && rest.startsWith('npm ci ')) linkPackages(build)
    else if (name === 'RUN') {
      const run = Bun.spawn([...shell, rest], { cwd: build, stdout: 'ignore', stderr: 'pipe' })
      const said = await new Response(run.stderr).text()
      if ((await run.exited) !== 0) throw new Error(`RUN ${rest}:\n${said}`)
    }
  }
}

/** One by one, because a build makes files of its own in that directory. */
function linkPackages(build: string): void {
  const packages = join(ROOT, 'node_modules')
  const own = join(build, 'node_modules')
  mkdirSync(own)
  for (const name of readdirSync(packages).filter((each) => each !== '.cache')) {
    symlinkSync(join(packages, name), join(own, name))
  }
}

function copyFromBuild(rest: string, build: string, root: string): void {
  const owner = /--chown=(\d+):(\d+)/.exec(rest)
  const [from = '', to = ''] = rest.split(/\s+/).filter((word) => !word.startsWith('--'))
  const source = join(build, from.replace(/^\/build\//, ''))
  const target = join(root, to)
  mkdirSync(target, { recursive: true })
  for (const name of readdirSync(source)) {
    const made = join(target, name)
    const copied = Bun.spawnSync(['cp', '-a', join(source, name), target])
    if (copied.exitCode !== 0) throw new Error(copied.stderr.toString())
    if (owner !== null) chownSync(made, Number(owner[1]), Number(owner[2]))
  }
}

function settingsOf(instructions: readonly Instruction[]): Omit<Image, 'root' | 'dispose'> {
  const restOf = (name: string) => instructions.find((each) => each.name === name)?.rest ?? ''
  const list = (rest: string) => JSON.parse(rest.slice(rest.indexOf('['))) as string[]
  const [uid = 0, gid = 0] = restOf('USER').split(':').map(Number)
  return {
    env: Object.fromEntries(
      restOf('ENV')
        .split(/\s+/)
        .map((pair) => pair.split('=') as [string, string]),
    ),
    ...{ uid, gid },
    entrypoint: list(restOf('ENTRYPOINT')),
    command: list(restOf('CMD')),
    health: list(restOf('HEALTHCHECK')),
    volume: restOf('VOLUME'),
  }
}

/** Why containers can't be imitated here; undefined: they can. */
export const containerMissing =
  process.getuid?.() !== 0 || Bun.spawnSync(['unshare', '--mount', 'true']).exitCode !== 0
    ? 'needs root, and a mount namespace of its own'
    : undefined

/** An empty volume for an image: its directory gets owner and mode from the image, as with Docker. */
export function makeVolume({ root, volume }: Image): string {
  const directory = mkdtempSync(join(tmpdir(), 'slugline-volume-'))
  const { uid, gid, mode } = statSync(join(root, volume))
  chmodSync(directory, mode)
  chownSync(directory, uid, gid)
  return directory
}

/** What a container may use. */
export interface ContainerLimits {
  memoryBytes: number
  /** Processes and threads. */
  pids: number
  files: number
}

const CGROUPS = '/sys/fs/cgroup'

/**
 * A new control group with limits: the files to write a process's id to. Empty where this system has
 * none to give.
 */
function makeGroup({ memoryBytes, pids }: ContainerLimits) {
  const name = `slugline-${process.pid}-${Math.random().toString(36).slice(2)}`
  const isUnified = existsSync(join(CGROUPS, 'cgroup.controllers'))
  const groups = isUnified
    ? [join(CGROUPS, name)]
    : [join(CGROUPS, 'memory', name), join(CGROUPS, 'pids', name)]
  const limits = isUnified
    ? { 'memory.max': memoryBytes, 'memory.swap.max': 0, 'pids.max': pids }
    : { 'memory.limit_in_bytes': memoryBytes, 'pids.max': pids }
  const remove = () => {
    for (const group of groups) Bun.spawnSync(['rmdir', group])
  }
  try {
    for (const group of groups) {
      mkdirSync(group)
      for (const [file, value] of Object.entries(limits)) {
        if (existsSync(join(group, file))) writeFileSync(join(group, file), `${value}`)
      }
    }
    return { joins: groups.map((group) => join(group, 'cgroup.procs')), remove }
  } catch {
    remove()
    return { joins: [], remove: () => {} }
  }
}

/**
 * As Docker prepares a container; every step replaces the process, so that signals arrive. The program
 * gets its own PATH at the end.
 */
const CONTAINER = `
set -e
root=$1 data=$2 volume=$3 files=$4 ids=$5 groups=$6 path=$7
shift 7
for file in $groups; do echo $$ > "$file"; done
mount --make-rprivate /
mount --bind "$root" "$root"
mount --bind "$data" "$root$volume"
mount -t tmpfs -o size=64m,mode=1777,noexec,nosuid,nodev tmpfs "$root/tmp"
mount --bind /proc "$root/proc"
for name in null zero random urandom; do mount --bind "/dev/$name" "$root/dev/$name"; done
mount -o remount,bind,ro "$root"
ulimit -n "$files" 2>/dev/null || ulimit -n "$(ulimit -H -n)"
setpriv=$(command -v setpriv) chroot=$(command -v chroot)
export PATH="$path"
exec "$setpriv" --no-new-privs --bounding-set=-all,+sys_chroot,+setuid,+setgid --inh-caps=-all \\
  "$chroot" --userspec="$ids" "$root" /usr/bin/slugline "$@"`

/** A container of an image, with a read-only root. */
export type Container = ReturnType<typeof createContainer>

/** Prepares a container: only its volume and /tmp can be written. */
export function createContainer(
  image: Image,
  { data, env, limits }: { data: string; env: Record<string, string>; limits: ContainerLimits },
) {
  const { root, uid, gid, volume } = image
  for (const name of ['proc', 'dev']) mkdirSync(join(root, name), { recursive: true })
  for (const name of ['null', 'zero', 'random', 'urandom']) {
    writeFileSync(join(root, 'dev', name), '')
  }
  const group = makeGroup(limits)
  const { PATH = '', ...own } = image.env
  const settings = [root, data, volume, limits.files, `${uid}:${gid}`, group.joins.join(' '), PATH]
  return {
    /** Whether limits of memory and processes are enforced. */
    isLimited: group.joins.length > 0,
    /** Runs the program of the image. */
    run: (args: readonly string[], more: Record<string, string> = {}) =>
      Bun.spawn(
        [
          ...['unshare', '--mount', 'sh', '-c', CONTAINER, 'container'],
          ...settings.map(String),
          ...args,
        ],
        {
          env: { PATH: process.env.PATH ?? '', ...own, ...env, ...more },
          stdout: 'pipe',
          stderr: 'pipe',
        },
      ),
    dispose: group.remove,
  }
}
