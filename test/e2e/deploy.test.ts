// What deploy/ says must be true of the program: its variables, paths and times. deploy.long.ts asks the
// tools; image.long.ts makes the image, and runs it.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readEnvironment, unknownVariables, VARIABLES } from '../../src/platform/config/index.ts'
import { type Slugline, startSlugline } from '../harness/process.ts'

const ROOT = resolve(import.meta.dir, '../..')
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8')

interface Service {
  image: string
  read_only?: boolean
  tmpfs?: string[]
  cap_drop?: string[]
  security_opt?: string[]
  mem_limit?: string
  pids_limit?: number
  ports?: string[]
  environment?: Record<string, string>
  volumes?: string[]
  networks?: string[]
  depends_on?: Record<string, { condition: string }>
  healthcheck?: { test: string[] }
  stop_grace_period?: string
}

interface Compose {
  services: Record<string, Service>
  networks: Record<string, { ipam?: { config: { subnet: string; gateway?: string }[] } }>
  volumes: Record<string, unknown>
}

const single = read('deploy/compose.yaml')
const one = Bun.YAML.parse(single) as Compose
const text = read('deploy/compose.cluster.yaml')
const compose = Bun.YAML.parse(text) as Compose
const nodes = Object.entries(compose.services).filter(([, { image }]) => image === 'slugline')
const dockerfile = read('deploy/Dockerfile')
const caddyfile = read('deploy/Caddyfile')
const unit = `${read('deploy/slugline.service')}${read('deploy/slugline.service.d/node.conf')}`
const example = Object.fromEntries(
  [...read('deploy/.env.example').matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [
    name as string,
    value as string,
  ]),
)

let slugline: Slugline
beforeAll(async () => {
  slugline = await startSlugline({ BASE_URL: 'https://sho.rt', SLUGLINE_DOMAINS: 'go.example' })
})
afterAll(() => slugline.dispose())

test('every secret has to be set, and none has a default', () => {
  const used = [...text.matchAll(/(?<!\$)\$\{(\w+)([^}]*)\}/g)]
  const optional = used.filter(([, , rest]) => !rest?.startsWith(':?')).map(([, name]) => name)
  expect(new Set(optional)).toEqual(new Set(['SLUGLINE_DOMAINS']))
  expect(Object.keys(example).sort()).toEqual([...new Set(used.map((u) => u[1] as string))].sort())
  expect(Object.values(example).join('')).toBe('')
  for (const { environment = {} } of Object.values(compose.services)) {
    for (const [name, value] of Object.entries(environment)) {
      if (/PASSWORD|SECRET|_URL$/.test(name)) expect(String(value)).toMatch(/\$\{\w+:\?/)
    }
  }
})

test('on one machine nothing has to be set, and only a proxy there is trusted', () => {
  const { slugline: service } = one.services
  const used = [...single.matchAll(/(?<!\$)\$\{(\w+):-([^}]*)\}/g)]
  expect(Object.keys(one.services)).toEqual(['slugline'])
  expect([...single.matchAll(/(?<!\$)\$\{/g)]).toHaveLength(used.length)
  const values = Object.fromEntries(
    Object.entries(service?.environment ?? {}).map(([name, value]) => [
      name,
      value.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1'),
    ]),
  )
  const { config } = readEnvironment(values, false)
  expect(Object.keys(values).filter((name) => !VARIABLES.includes(name as never))).toEqual([])
  const gateways = one.networks.default?.ipam?.config.map(({ gateway }) => gateway)
  expect(config.trustedProxies).toEqual(gateways as string[])
  for (const port of service?.ports ?? []) expect(port).toStartWith('127.0.0.1:')
})

test('nodes and a single server can write only to their volume and /tmp', () => {
  const services = [one, compose].flatMap((each) => Object.values(each.services))
  const own = services.filter(({ image }) => image === 'slugline')
  expect(own).toHaveLength(1 + nodes.length)
  for (const { cap_drop, security_opt, read_only, tmpfs, volumes, ...service } of own) {
    expect({ cap_drop, security_opt, read_only }).toEqual({
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      read_only: true,
    })
    expect(tmpfs?.map((each) => each.split(':')[0])).toEqual(['/tmp'])
    expect(volumes?.map((each) => each.split(':')[1])).toEqual(['/var/lib/slugline'])
    expect(service.mem_limit).toMatch(/^\dg$/)
    expect(service.pids_limit).toBeGreaterThan(100)
    expect(service.healthcheck?.test).toEqual(['CMD', 'slugline', 'health'])
  }
})

test('a build of the image is reproducible', () => {
  const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)]
    .map(([, base]) => base)
    .filter((base) => base !== 'scratch')
  expect(bases.length).toBeGreaterThan(0)
  for (const base of bases) expect(base).toMatch(/^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$/)
})

test('its nodes have valid settings, and all the same ones', () => {
  expect(nodes.length).toBeGreaterThanOrEqual(2)
  const given: Record<string, string> = { BASE_URL: 'https://sho.rt' }
  for (const name of Object.keys(example)) given[name] ??= 'x'.repeat(32)
  given.SLUGLINE_DOMAINS = 'go.example'
  for (const [, { environment = {} }] of nodes) {
    expect(environment).toEqual(nodes[0]?.[1].environment as Record<string, string>)
    const values = Object.fromEntries(
      Object.entries(environment).map(([name, value]) => [
        name,
        String(value).replaceAll(/\$\{(\w+)[^}]*\}/g, (_, each: string) => given[each] as string),
      ]),
    )
    expect(Object.keys(values).filter((name) => !VARIABLES.includes(name as never))).toEqual([])
    const { config } = readEnvironment(values, false)
    expect(config.scaled?.clickhouse).not.toBeNull()
    const subnets = compose.networks.edge?.ipam?.config.map(({ subnet }) => subnet)
    expect(config.trustedProxies).toEqual(subnets as string[])
  }
  const set = dockerfile
    .match(/^ENV (.*)$/m)?.[1]
    ?.split(' ')
    .map((pair) => pair.split('=')[0])
  expect(set?.filter((name) => !VARIABLES.includes(name as never))).toEqual(['PATH'])
  const inUnit = [...unit.matchAll(/(\w+)=%/g)].map(([, name]) => name as string)
  expect(unknownVariables(Object.fromEntries(inUnit.map((name) => [name, 'x'])))).toEqual([])
  expect(inUnit).toContain('SLUGLINE_SECRET_FILE')
})

test('each node has its own journal, and enough time to finish', () => {
  const volumes = nodes.map(([, node]) => node.volumes?.map((each) => each.split(':')))
  const names = volumes.map((each) => each?.[0]?.[0] as string)
  expect(new Set(names).size).toBe(nodes.length)
  for (const name of names) expect(Object.keys(compose.volumes)).toContain(name)
  const dataDir = /SLUGLINE_DATA_DIR=(\S+)/.exec(dockerfile)?.[1]
  for (const each of volumes) expect(each?.[0]?.[1]).toBe(dataDir as string)
  expect(dockerfile).toContain(`VOLUME ${dataDir}\n`)
  // Slugline ends within ten seconds.
  for (const [, node] of nodes)
    expect(Number.parseInt(node.stop_grace_period ?? '0', 10)).toBeGreaterThan(10)
  expect(Number(/TimeoutStopSec=(\d+)/.exec(unit)?.[1])).toBeGreaterThan(10)
  for (const [, { depends_on = {} }] of Object.entries(compose.services)) {
    for (const name of Object.keys(depends_on)) {
      expect([name, compose.services[name]?.healthcheck !== undefined]).toEqual([name, true])
    }
  }
})

test('requests to the nodes use existing paths', async () => {
  const paths = [
    ...caddyfile.matchAll(/http:\/\/127\.0\.0\.1:\d+(\/[\w./-]+)|health_uri (\S+)/g),
  ].map(([, path, other]) => (path ?? other) as string)
  const own = [...new Set(paths)].sort()
  expect(own).toEqual(['/.well-known/slugline/host', '/readyz'])
  for (const path of own) {
    const answer = await fetch(`${slugline.url}${path}?domain=sho.rt`)
    expect([path, answer.status]).toEqual([path, 200])
  }
  const [ask = ''] = own
  const isOurs = async (domain: string, headers = {}) =>
    (await fetch(`${slugline.url}${ask}?domain=${domain}`, { headers })).status
  expect(await isOurs('go.example')).toBe(200)
  expect(await isOurs('evil.example')).toBe(404)
  // Through the proxy it reveals no more than a short link would.
  expect(await isOurs('sho.rt', { 'X-Forwarded-For': '192.0.2.1' })).toBe(404)

  const port = /PORT=(\d+)/.exec(dockerfile)?.[1]
  expect(dockerfile).toContain(`EXPOSE ${port}\n`)
  const upstreams = /^\tto (.*)$/m.exec(caddyfile)?.[1]?.split(' ')
  expect(upstreams).toEqual(nodes.map(([name]) => `${name}:${port}`))
  // The proxy must be the first to close an idle connection.
  expect(Number(/keepalive (\d+)s/.exec(caddyfile)?.[1])).toBeLessThan(75)
  expect(caddyfile).toMatch(
    /@private path \/metrics \/\.well-known\/slugline\/\*\n\trespond @private 404/,
  )
})

test('the image is built from existing files, with a recent Node', () => {
  const ignore = read('.dockerignore').split('\n')
  const sent = ignore.filter((line) => line.startsWith('!')).map((line) => line.slice(1))
  for (const name of sent) expect([name, existsSync(join(ROOT, name))]).toEqual([name, true])
  const copied = [...dockerfile.matchAll(/^COPY (?!--)(.*) \S+$/gm)]
    .flatMap(([, names]) => (names as string).split(' '))
    .filter((name) => name !== '.')
  for (const name of copied) {
    expect([name, sent.some((each) => name === each || name.startsWith(`${each}/`))]).toEqual([
      name,
      true,
    ])
  }
  const { engines, scripts } = JSON.parse(read('package.json')) as {
    engines: { node: string }
    scripts: Record<string, string>
  }
  const node = Number(/FROM node:(\d+)/.exec(dockerfile)?.[1])
  expect(node).toBeGreaterThanOrEqual(Number(/\d+/.exec(engines.node)?.[0]))
  for (const [, name] of dockerfile.matchAll(/npm run (\w+)/g)) {
    expect(Object.keys(scripts)).toContain(name as string)
  }
})

test('the Helm chart is of this version', async () => {
  const { version } = JSON.parse(read('package.json')) as { version: string }
  const chart = Bun.YAML.parse(read('deploy/helm/slugline/Chart.yaml'))
  expect(chart).toMatchObject({ version, appVersion: version })
})

const PROMTOOL = Bun.which('promtool')

function promtool(args: string[], stdin = '') {
  const run = Bun.spawnSync([PROMTOOL as string, ...args], { stdin: Buffer.from(stdin) })
  return { status: run.exitCode, said: `${run.stdout}${run.stderr}` }
}

test('every alert has a test', () => {
  interface Rules {
    groups: { rules: { alert: string }[] }[]
  }
  const { groups } = Bun.YAML.parse(read('deploy/prometheus/alerts.yml')) as Rules
  const alerts = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert))
  const tests = read('deploy/prometheus/alerts.test.yml')
  expect(alerts.length).toBeGreaterThan(10)
  for (const alert of alerts) expect(tests).toContain(`alertname="${alert}"`)
})

test.skipIf(PROMTOOL === null)(
  'promtool takes the rules, their tests and the metrics',
  async () => {
    const dir = join(ROOT, 'deploy/prometheus')
    expect(promtool(['check', 'rules', join(dir, 'alerts.yml')])).toMatchObject({ status: 0 })
    expect(promtool(['test', 'rules', join(dir, 'alerts.test.yml')])).toMatchObject({ status: 0 })
    const metrics = await (await slugline.call('GET', '/metrics')).text()
    // Except hints at names of the runtime's own metrics, it must accept everything.
    const { status, said } = promtool(['check', 'metrics'], metrics)
    expect([status, said.match(/^(?!nodejs_|process_).*$/gm)?.filter(Boolean)]).toEqual([
      expect.any(Number),
      [],
    ])
  },
)
