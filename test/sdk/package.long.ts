import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startSlugline } from '../harness/process.ts'
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

/** Deno, which npm provides as a package. */
const DENO = 'deno@2.9.6'

test.skipIf(!isOnline)(
  'the SDK works in Deno, with no rights but the network',
  async () => {
    const packed = packSdk()
    const slugline = await startSlugline()
    try {
      const { key } = await slugline.createKey({ scopes: 'links:read,links:write,events:read' })
      const options = JSON.stringify({ baseUrl: slugline.url, apiKey: key })
      writeFileSync(
        join(packed.project, 'deno.ts'),
        `import { Slugline } from '@slugline/sdk'
const slugline = new Slugline(${options})
const after = (await slugline.events.list({ after: 'latest' })).pagination.next_cursor as string
const made: string[] = []
for (let i = 0; i < 3; i++) {
  made.push((await slugline.links.create({ destination_url: 'https://example.com/' + i })).id)
}
const seen: unknown[] = []
for await (const event of slugline.events.follow({ after })) {
  seen.push(event.object.id)
  if (seen.length === 3) break
}
let listed = 0
for await (const _ of slugline.links.list({ limit: 1 })) listed++
const { code } = await slugline.links.get('lnk_nowhere').catch((error) => error)
console.log(JSON.stringify({ inOrder: String(seen) === String(made), listed, code }))
`,
      )
      packed.run(['npm', 'install', '--no-save', '--no-audit', '--no-fund', '--silent', DENO])
      const host = new URL(slugline.url).host
      const deno = join(packed.project, 'node_modules/.bin/deno')
      const flags = ['--check', '--node-modules-dir=manual', `--allow-net=${host}`]
      const output = packed.run([deno, 'run', ...flags, 'deno.ts'])
      expect(JSON.parse(output)).toEqual({ inOrder: true, listed: 3, code: 'LINK_NOT_FOUND' })
    } finally {
      packed.dispose()
      await slugline.dispose()
    }
  },
  300_000,
)
