import { closeSync, fsyncSync, linkSync, openSync, readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/**
 * Has `make` write a file under a name of this process's own and gives it its name when it is whole
 * and on the disk. If another process was faster, theirs stays. What processes left that are no more
 * is deleted.
 */
export async function makeWhole(
  file: string,
  make: (path: string) => Promise<void>,
): Promise<void> {
  const directory = dirname(file)
  const beginning = `${basename(file)}.new-`
  for (const name of readdirSync(directory)) {
    if (!name.startsWith(beginning) || lives(Number.parseInt(name.slice(beginning.length), 10))) {
      continue
    }
    rmSync(join(directory, name), { recursive: true, force: true })
  }
  const made = join(directory, `${beginning}${process.pid}`)
  try {
    await make(made)
    sync(made)
    linkSync(made, file)
    sync(directory)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    for (const end of ['', '.wal', '.tmp']) rmSync(made + end, { recursive: true, force: true })
  }
}

/** Whether another process has this number: it may be making the same file just now. */
function lives(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
