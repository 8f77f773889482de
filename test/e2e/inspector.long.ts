// The MCP inspector, the official client for people, calls the server as docs/mcp.md says.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Slugline, startSlugline } from '../harness/process.ts'

const INSPECTOR = '@modelcontextprotocol/inspector@2.12.0'
const ROOT = resolve(import.meta.dir, '../..')
const isOnline = Bun.spawnSync(['npm', 'view', INSPECTOR, 'version']).exitCode === 0

let folder: string
let slugline: Slugline
let env: Record<string, string | undefined>
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slugline-inspector-test-'))
  const install = ['npm', 'install', '--silent', '--no-save', '--prefix', folder, INSPECTOR]
  if (isOnline) expect(Bun.spawnSync(install).exitCode).toBe(0)
  slugline = await startSlugline()
  const { key } = await slugline.createKey({ scopes: 'links:read,links:write' })
  env = { ...process.env, HOME: folder, SLUGLINE_API_KEY: key, SLUGLINE_URL: slugline.url }
}, 300_000)
afterAll(async () => {
  await slugline?.dispose()
  rmSync(folder, { recursive: true, force: true })
})

/** Runs the inspector's command that the document has, with more arguments behind it. */
async function inspect(more: string, command = documented()) {
  const child = Bun.spawn(['bash', '-c', `${command} ${more}`], {
    env,
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [text, exitCode] = await Promise.all([new Response(child.stdout).text(), child.exited])
  return { exitCode, answer: JSON.parse(text) }
}

/** The inspector's command in docs/mcp.md, without its method. */
function documented(): string {
  const text = readFileSync(join(ROOT, 'docs/mcp.md'), 'utf8')
  const [, command] = /```sh\n(npx @modelcontextprotocol[^`]*) --method tools\/list\n```/.exec(
    text,
  ) as RegExpExecArray
  return (command as string)
    .replace('npx @modelcontextprotocol/inspector', join(folder, 'node_modules/.bin/inspector'))
    .replace('https://sho.rt', slugline.url)
}

test.skipIf(!isOnline)(
  'the inspector lists portable tools and calls them by HTTP and by stdio',
  async () => {
    const { exitCode, answer } = await inspect('--method tools/list --strict')
    expect(exitCode).toBe(0)
    expect(answer.tools.map(({ name }: { name: string }) => name)).toContain('create_link')

    const created = await inspect(
      '--method tools/call --tool-name create_link --tool-arg destination_url=https://example.com/ slug=summer',
    )
    expect(created.exitCode).toBe(0)
    const refused = await inspect(
      '--method tools/call --tool-name create_link --tool-arg destination_url=https://example.com/ slug=summer',
    )
    expect(refused.answer).toMatchObject({ isError: true })
    expect(refused.answer.content[0].text).toContain('SLUG_TAKEN')

    const found = await inspect(
      '--method tools/call --tool-name find_links',
      `${join(folder, 'node_modules/.bin/inspector')} --cli ${join(ROOT, 'bin/slugline')} mcp \
        -e SLUGLINE_URL=$SLUGLINE_URL -e SLUGLINE_API_KEY=$SLUGLINE_API_KEY`,
    )
    expect(found.answer.structuredContent).toMatchObject({
      total: 1,
      links: [{ short_url: `${slugline.url}/summer` }],
    })
  },
  120_000,
)
