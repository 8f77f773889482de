import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * A copy of this machine's files that takes no space: what is written in it, such as by the package
 * manager, disappears with it. Processes and the network are shared.
 */
export type Machine = Awaited<ReturnType<typeof openMachine>>

/** The overlay is in a mount namespace, which ends with this process. */
const SETUP = `
set -e
mount --make-rprivate /
mount -t tmpfs -o mode=755 tmpfs "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" overlay "$1/root"
mount --rbind /proc "$1/root/proc"
mount --rbind /dev "$1/root/dev"
mount -t tmpfs -o mode=755 tmpfs "$1/root/run"
mkdir -p "$1/root$2"
mount --bind "$2" "$1/root$2"
echo ready
exec sleep infinity`

/** Opens one, in which the directory `shared` is this machine's own. Throws where that isn't possible. */
export async function openMachine(shared: string) {
  const directory = mkdtempSync(join(tmpdir(), 'slugline-machine-'))
  const holder = Bun.spawn(
    ['unshare', '--mount', 'sh', '-c', SETUP, 'machine', directory, shared],
    {
      stdout: 'pipe',
      stderr: 'pipe',
    },
  )
  const dispose = async () => {
    holder.kill('SIGKILL')
    await holder.exited
    rmSync(directory, { recursive: true, force: true })
  }
  const { value } = await holder.stdout.getReader().read()
  if (value === undefined) {
    const reason = await new Response(holder.stderr).text()
    await dispose()
    throw new Error(`no copy of this machine: ${reason.trim()}`)
  }
  const enter = ['nsenter', '--mount', `--target=${holder.pid}`, 'chroot', join(directory, 'root')]
  return {
    /** Starts a program in it. */
    spawn: (...command: string[]) =>
      Bun.spawn([...enter, ...command], { stdout: 'pipe', stderr: 'pipe' }),
    /** Runs a command of the shell to its end, and returns its output. @throws if it fails */
    run(command: string): string {
      const { exitCode, stdout, stderr } = Bun.spawnSync([...enter, 'sh', '-c', command])
      if (exitCode !== 0) throw new Error(`${command}: ${exitCode}\n${stdout}${stderr}`)
      return stdout.toString().trim()
    },
    dispose,
  }
}

/** Why there can be no copy of this machine; undefined: it can. */
export async function machineMissing(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'needs root'
  try {
    await (await openMachine(tmpdir())).dispose()
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
