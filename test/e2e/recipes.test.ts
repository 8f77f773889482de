/** The files in examples/, run as the services that they are for would run them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Link } from '../../src/features/links/index.ts'
import { eventually } from '../harness/eventually.ts'
import { freePort } from '../harness/free-port.ts'
import { BASE_ENV, SLUGLINE, type Slugline, startSlugline } from '../harness/process.ts'

const EXAMPLES = resolve(import.meta.dir, '../../examples')
const read = (name: string) => readFileSync(join(EXAMPLES, name), 'utf8')
const require_ = createRequire(import.meta.url)
const AsyncFunction = (async () => {}).constructor as new (
  ...args: string[]
) => (this: unknown, ...args: unknown[]) => Promise<unknown>

interface Received {
  headers: Record<string, string>
  body: Buffer
}

let slugline: Slugline
let key: string
let receiver: ReturnType<typeof Bun.serve>
let secret: string
let received: Received
beforeAll(async () => {
  slugline = await startSlugline({ OUTGOING_ALLOWED_NETWORKS: '127.0.0.0/8' })
  ;({ key } = await slugline.createKey({
    scopes: 'links:read,links:write,events:read,webhooks:read,webhooks:write',
  }))
  const got: Received[] = []
  receiver = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const body = Buffer.from(await request.arrayBuffer())
      got.push({ headers: request.headers.toJSON(), body })
      return new Response('ok')
    },
  })
  const url = `http://127.0.0.1:${receiver.port}/`
  ;({ secret } = await call<{ secret: string }>('POST', '/webhooks', {
    url,
    types: ['link.created'],
  }))
  await call('POST', '/links', { destination_url: 'https://example.com/', title: 'é ☕' })
  received = await eventually('the delivery', () => got[0])
}, 60_000)
afterAll(async () => {
  await receiver?.stop(true)
  await slugline?.dispose()
})

async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const answer = await slugline.call(method, `/api/v1${path}`, { key, body })
  if (!answer.ok) throw new Error(await answer.text())
  return (await answer.json()) as T
}
const linkOf = async (query: string) =>
  (await call<{ data: Link[] }>('GET', `/links?${query}`)).data[0]

/** Sends what a step for HTTP requests says, to this instance. */
function send(url: string, headers: Record<string, string>, body: string): Promise<Response> {
  const { pathname } = new URL(url)
  return fetch(slugline.url + pathname, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body,
  })
}

/** Requests that a step which verifies must refuse. */
const forged: Record<string, (of: Received) => Received> = {
  'a changed body': ({ headers, body }) => ({
    headers,
    body: Buffer.from(body.toString().replace('example.com', 'example.org')),
  }),
  'another id': ({ headers, body }) => ({ headers: { ...headers, 'webhook-id': 'evt_1' }, body }),
  'an old time': ({ headers, body }) => ({
    headers: { ...headers, 'webhook-timestamp': '1700000000' },
    body,
  }),
  'no signature': ({ headers: { 'webhook-signature': _, ...headers }, body }) => ({
    headers,
    body,
  }),
  'no time': ({ headers: { 'webhook-timestamp': _, ...headers }, body }) => ({ headers, body }),
}

describe('receivers without a library', () => {
  const PYTHON = `import json, sys
given = json.load(sys.stdin)
sys.exit(0 if is_genuine(given["secret"], given["headers"], given["body"].encode()) else 1)`
  const DOCS = resolve(import.meta.dir, '../../docs/webhooks.md')
  const inPython = /```python\n(import base64[^`]*)```/.exec(readFileSync(DOCS, 'utf8'))?.[1]
  let port: number
  let program: Bun.Subprocess<'ignore', 'pipe', 'inherit'>
  beforeAll(async () => {
    port = await freePort()
    program = Bun.spawn(['node', join(EXAMPLES, 'webhooks/receiver.mjs'), String(port)], {
      env: { ...BASE_ENV, WEBHOOK_SECRET: secret },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await eventually('the receiver', () => byNode(received).then(String, () => undefined))
  })
  afterAll(() => program?.kill())

  const byNode = async ({ headers, body }: Received) => {
    const { host: _, connection: __, ...sent } = headers
    const url = `http://127.0.0.1:${port}/`
    return (await fetch(url, { method: 'POST', headers: sent, body })).status === 204
  }
  const byPython = async ({ headers, body }: Received) => {
    const child = Bun.spawn(['python3', '-c', `${inPython}\n${PYTHON}`], { stdin: 'pipe' })
    child.stdin.write(JSON.stringify({ secret, headers, body: body.toString() }))
    child.stdin.end()
    return (await child.exited) === 0
  }
  const receivers: [string, (of: Received) => Promise<boolean>][] = [['Node.js', byNode]]
  if (Bun.which('python3')) receivers.push(['Python', byPython])

  test.each(receivers)('the one in %s takes what is genuine and nothing else', async (_, takes) => {
    expect(await takes(received)).toBe(true)
    for (const [name, forge] of Object.entries(forged)) {
      expect({ name, taken: await takes(forge(received)) }).toEqual({ name, taken: false })
    }
  })
})

describe('n8n', () => {
  interface Node {
    id: string
    name: string
    type: string
    typeVersion: number
    position: number[]
    parameters: Record<string, unknown>
  }
  const workflow = JSON.parse(read('n8n/slugline.json')) as {
    nodes: Node[]
    connections: Record<string, { main: { node: string }[][] }>
  }
  const nodeOf = (name: string) => workflow.nodes.find((node) => node.name === name) as Node

  test('the workflow has nodes with all that n8n needs, and connections between them', () => {
    const names = workflow.nodes.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    for (const node of workflow.nodes) {
      // Bun writes matchers into what it compares.
      expect(structuredClone(node)).toMatchObject({
        id: expect.stringMatching(/^[\da-f-]{36}$/),
        type: expect.stringMatching(/^n8n-nodes-base\.\w+$/),
        typeVersion: expect.any(Number),
        position: [expect.any(Number), expect.any(Number)],
        parameters: expect.any(Object),
      })
    }
    for (const [name, { main }] of Object.entries(workflow.connections)) {
      expect(names).toContain(name)
      for (const { node } of main.flat()) expect(names).toContain(node)
    }
    expect(nodeOf('Event from Slugline').parameters.options).toEqual({ rawBody: true })
  })

  /** As the Code node runs it. */
  function verify({ headers, body }: Received, with_ = secret) {
    const code = String(nodeOf('Verify signature').parameters.jsCode)
    const run = new AsyncFunction('$input', 'require', code.replace('whsec_REPLACE_ME', with_))
    const first = () => ({ json: { headers, body: JSON.parse(body.toString()) } })
    return run.call({ helpers: { getBinaryDataBuffer: async () => body } }, { first }, require_)
  }

  test('the code returns the event of a genuine request', async () => {
    expect(await verify(received)).toEqual([{ json: JSON.parse(received.body.toString()) }])
  })

  test.each(Object.keys(forged))('the code refuses %s', async (name) => {
    await expect(verify(forged[name]?.(received) as Received)).rejects.toThrow()
  })

  test('the code refuses another secret', async () => {
    await expect(verify(received, 'whsec_AAAA')).rejects.toThrow()
  })

  test('the form creates a link, once in an execution', async () => {
    const { parameters } = nodeOf('Create link')
    const { headerParameters } = parameters as {
      headerParameters: { parameters: { name: string; value: string }[] }
    }
    const input = { 'Destination URL': 'https://example.com/"n8n"', Title: '' }
    /** n8n's expressions: `=` and a text with `{{ … }}`. */
    const filled = (text: unknown) =>
      String(text)
        .replace(/^=/, '')
        .replace(/\{\{(.*?)\}\}(?!\})/gs, (_, code) =>
          new Function('$json', '$execution', `return ${code}`)(input, { id: '231' }),
        )
    const headers = Object.fromEntries(
      headerParameters.parameters.map(({ name, value }) => [name, filled(value)]),
    )
    const make = () =>
      send(
        String(parameters.url),
        { ...headers, Authorization: `Bearer ${key}` },
        filled(parameters.jsonBody),
      )
    const first = await make()
    expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([201, null])
    expect((await make()).headers.get('idempotent-replayed')).toBe('true')
    const { destination_url, title } = (await first.json()) as Link
    expect({ destination_url, title }).toEqual({
      ...{ destination_url: 'https://example.com/"n8n"', title: null },
    })
  })
})

describe('Zapier', () => {
  const code = read('zapier/verify-webhook.js')
  function verify({ headers, body }: Received, with_ = secret) {
    const inputData = {
      ...{ secret: with_, body: body.toString() },
      id: headers['webhook-id'],
      timestamp: headers['webhook-timestamp'],
      signature: headers['webhook-signature'],
    }
    // As Zapier has it, a function around the code returns its `output`.
    const all = `let output\n${code}\nreturn output`
    return new AsyncFunction('inputData', 'require', all).call(undefined, inputData, require_)
  }

  test('the code returns the event of a genuine request', async () => {
    expect(await verify(received)).toEqual(JSON.parse(received.body.toString()))
  })

  test.each(Object.keys(forged))('the code refuses %s', async (name) => {
    await expect(verify(forged[name]?.(received) as Received)).rejects.toThrow()
  })

  test('the code refuses another secret', async () => {
    await expect(verify(received, 'whsec_AAAA')).rejects.toThrow()
  })

  test('the POST step creates a link, once for what triggered it', async () => {
    const step = JSON.parse(read('zapier/create-link.json'))
    const values: Record<string, string> = {
      ...{ destination_url: 'https://example.com/zapier', title: 'Zap', id: '42', api_key: key },
    }
    const filled = (of: Record<string, string>) =>
      Object.fromEntries(
        Object.entries(of).map(([name, text]) => [
          name,
          text.replace(/\{\{(\w+)\}\}/g, (_, field) => values[field] ?? ''),
        ]),
      )
    const make = () => send(step.url, filled(step.headers), JSON.stringify(filled(step.data)))
    expect((await make()).status).toBe(201)
    expect((await make()).headers.get('idempotent-replayed')).toBe('true')
    expect(await linkOf('search=zapier')).toMatchObject({ title: 'Zap' })
  })
})

describe('GitHub Actions', () => {
  interface Job {
    if: string
    'runs-on': string
    steps: { name?: string; uses?: string; run?: string; env?: Record<string, string> }[]
  }
  const workflow = Bun.YAML.parse(read('github-actions/slugline.yaml')) as {
    on: Record<string, unknown>
    permissions: Record<string, string>
    env: Record<string, string>
    jobs: Record<'plan' | 'apply', Job>
  }
  let dir: string
  let contexts: Record<string, string>
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'slugline-actions-'))
    mkdirSync(join(dir, 'temp'))
    cpSync(join(EXAMPLES, 'github-actions/links'), join(dir, 'links'), { recursive: true })
    // In place of the executable, which is 200 MB.
    const program = `#!/bin/sh\nexec '${SLUGLINE}' "$@"\n`
    writeFileSync(join(dir, 'program'), program)
    contexts = {
      'secrets.SLUGLINE_API_KEY': key,
      'vars.SLUGLINE_URL': slugline.url,
      'vars.SLUGLINE_EXECUTABLE': `file://${join(dir, 'program')}`,
      'vars.SLUGLINE_EXECUTABLE_SHA256': createHash('sha256').update(program).digest('hex'),
    }
  })
  afterAll(() => rmSync(dir, { recursive: true, force: true }))

  /** Runs the steps of a job as the runner does, until one fails. */
  function run(job: Job): { status: number; output: string; summary: string } {
    const known = (env: Record<string, string> = {}) =>
      Object.fromEntries(
        Object.entries(env).map(([name, text]) => [
          name,
          text.replace(/\$\{\{ (.*?) \}\}/g, (_, context) => contexts[context] ?? ''),
        ]),
      )
    const summary = join(dir, 'summary')
    writeFileSync(summary, '')
    let output = ''
    for (const step of job.steps) {
      if (step.run === undefined) continue
      const child = Bun.spawnSync(['bash', '-e', '-c', step.run], {
        cwd: dir,
        env: {
          ...BASE_ENV,
          ...{ HOME: dir, RUNNER_TEMP: join(dir, 'temp'), GITHUB_STEP_SUMMARY: summary },
          ...known(workflow.env),
          ...known(step.env),
        },
        stderr: 'pipe',
      })
      output += child.stdout.toString() + child.stderr.toString()
      if (child.exitCode !== 0) return { status: child.exitCode, output, summary: '' }
    }
    return { status: 0, output, summary: readFileSync(summary, 'utf8') }
  }

  test('the workflow runs on pushes and pull requests, with few permissions', () => {
    expect(Object.keys(workflow.on)).toEqual(['push', 'pull_request'])
    expect(workflow.permissions).toEqual({ contents: 'read' })
    expect(workflow.jobs.plan.if).toContain("github.event_name == 'pull_request'")
    expect(workflow.jobs.apply.if).toContain("github.event_name == 'push'")
    for (const { steps, ...job } of Object.values(workflow.jobs)) {
      expect(job['runs-on']).toBe('ubuntu-latest')
      for (const step of steps) expect(Number('uses' in step) + Number('run' in step)).toBe(1)
      // A key that a whole job has is seen by every action in it.
      expect(JSON.stringify(steps.filter(({ env }) => env)).match(/secrets\./g)).toHaveLength(1)
    }
    expect(JSON.stringify(workflow.env)).not.toContain('secrets.')
  })

  test('a pull request shows the difference; a push applies it, and deletes what is gone', async () => {
    const planned = run(workflow.jobs.plan)
    expect(planned).toMatchObject({ status: 0 })
    expect(planned.summary).toMatch(/^```diff\n\+ web-summer /)
    expect(planned.summary).toContain('2 to create, 0 to update, 0 to delete, 0 unchanged')
    expect(await linkOf('slug=summer')).toBeUndefined()
    expect(run(workflow.jobs.apply)).toMatchObject({ status: 0 })
    expect(await linkOf('slug=summer')).toMatchObject({ title: 'Summer sale', tags: ['website'] })
    const file = join(dir, 'links/website.yaml')
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace(/ {2}- external_id: web-docs[\s\S]*/, ''),
    )
    const gone = run(workflow.jobs.apply)
    expect(gone.output).toContain('0 created, 0 updated, 1 deleted, 1 unchanged')
    expect(await linkOf('slug=guide')).toBeUndefined()
    writeFileSync(file, '- external_id: web-x\n  destination_url: nowhere\n')
    expect(run(workflow.jobs.plan).status).toBe(1)
    expect(run(workflow.jobs.apply).status).toBe(1)
    expect(await linkOf('slug=summer')).toMatchObject({ title: 'Summer sale' })
  }, 120_000)

  test('an executable with another checksum is not run', () => {
    contexts['vars.SLUGLINE_EXECUTABLE_SHA256'] = '0'.repeat(64)
    expect(run(workflow.jobs.apply).status).not.toBe(0)
  })
})
