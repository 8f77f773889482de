import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const made: string[] = []

/** A directory of its own, which is gone when the bench ends, also by a failure or a signal. */
export function temporaryDirectory(prefix: string): string {
  if (made.length === 0) {
    process.on('exit', removeAll)
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => process.exit(1))
    }
  }
  const dir = mkdtempSync(join(tmpdir(), prefix))
  made.push(dir)
  return dir
}

function removeAll(): void {
  for (const dir of made) rmSync(dir, { recursive: true, force: true })
}
