/**
 * Imported by every bench: all files are written to one directory, deleted when the bench ends,
 * together with all processes that it has started, also after a failure or a signal.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { family, parentOf } from './machine.ts'

/** PostgreSQL frees its shared memory only if it ends by itself. */
const ASKED_MS = 2_000
const ASK_EVERY_MS = 20

const root = mkdtempSync(join(tmpdir(), 'slugline-bench-'))
// A PostgreSQL started by root runs as another user.
chmodSync(root, 0o711)
process.env.TMPDIR = root

process.on('exit', () => {
  endChildren()
  rmSync(root, { recursive: true, force: true })
})
for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => process.exit(1))
}

/** A new directory in that of the bench. */
export function temporaryDirectory(): string {
  return mkdtempSync(join(root, 'dir-'))
}

function endChildren(): void {
  const until = performance.now() + ASKED_MS
  const seen = new Set<number>()
  for (;;) {
    // Children of an ended process get another parent, and keep running.
    for (const pid of family(process.pid).slice(1)) seen.add(pid)
    const children = [...seen].filter((pid) => parentOf(pid) !== null)
    if (children.length === 0) return
    for (const pid of children) {
      try {
        process.kill(pid, performance.now() < until ? 'SIGINT' : 'SIGKILL')
      } catch {
        // It has ended in the meantime.
      }
    }
    Bun.sleepSync(ASK_EVERY_MS)
  }
}
