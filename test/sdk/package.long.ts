import { expect, test } from 'bun:test'
import { packSdk } from './packed.ts'

/** Checkers of packages, from npm; skipped where it can't be reached. */
const CHECKERS = [
  ['publint@0.3.25', '--strict'],
  ['@arethetypeswrong/cli@0.18.5', '--profile', 'esm-only'],
] as const

const isOnline = Bun.spawnSync(['npm', 'view', CHECKERS[0][0], 'version']).exitCode === 0

test.skipIf(!isOnline)('publint and attw have no complaints', () => {
  const packed = packSdk()
  try {
    for (const [name, ...options] of CHECKERS) {
      expect(packed.run(['npx', '--yes', name, packed.tarball, ...options])).not.toMatch(/warning/i)
    }
  } finally {
    packed.dispose()
  }
})
