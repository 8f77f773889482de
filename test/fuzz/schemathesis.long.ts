import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSlugline } from '../harness/process.ts'

const VERSION = '4.32.5'
/** Generating ends after this time; a minute by default. */
const SECONDS = process.env.SCHEMATHESIS_SECONDS ?? '60'

const SCOPES = [
  ...['links:read', 'links:write', 'links:create', 'stats:read', 'domains:read', 'domains:write'],
  ...['keys:write', 'events:read', 'webhooks:read', 'webhooks:write'],
]

/**
 * Without: streams, which have no end; what would revoke the key of the test; calls of other hosts;
 * and uploads of NDJSON, which Schemathesis can't write.
 */
const EXCLUDED = [
  ...['streamEvents', 'streamClicks', 'revokeKey', 'rotateKey', 'importFromService'],
  ...['importLinks', 'previewImport', 'verifyDomain', 'testWebhook'],
]

/** Examples and coverage come on top of the time for generating. */
const LIMIT_MS = (Number(SECONDS) + 15 * 60) * 1000

/**
 * Whether refusals are compared with those that are meant. They depend on what is generated, so a run
 * that decides about a change looks at responses alone.
 */
const WITH_REFUSALS = process.env.SCHEMATHESIS_REFUSALS === '1'
const CONFORMANCE =
  'not_a_server_error,content_type_conformance,response_headers_conformance,response_schema_conformance'

/** The checks of its own that `schemathesis_hooks.py` wraps. */
const WRAPPED = 'positive_data_acceptance,negative_data_rejection,status_code_conformance'

/** A virtual environment with Schemathesis, or null where PyPI can't be reached. */
function installed(directory: string): string | null {
  if (Bun.which('python3') === null) return null
  Bun.spawnSync(['python3', '-m', 'venv', directory])
  const pip = Bun.spawnSync([
    ...[join(directory, 'bin/pip'), 'install', '--quiet', '--retries', '1', '--timeout', '15'],
    `schemathesis==${VERSION}`,
  ])
  return pip.exitCode === 0 ? join(directory, 'bin/st') : null
}

test(
  'Schemathesis finds no response against the document, nor a refusal that isn’t meant',
  async () => {
    const directory = mkdtempSync(join(tmpdir(), 'schemathesis-'))
    const slugline = await startSlugline()
    try {
      const st = installed(join(directory, 'venv'))
      if (st === null) return console.log('skipped: needs Python and PyPI')
      const { key } = await slugline.createKey({ scopes: SCOPES.join(',') })
      const body = { destination_url: 'https://example.com/' }
      await slugline.call('POST', '/api/v1/links', { key, body })
      const options = [
        ...['--url', slugline.url, '--header', `Authorization: Bearer ${key}`, '--workers', '1'],
        ...['--checks', ...(WITH_REFUSALS ? ['all', '--exclude-checks', WRAPPED] : [CONFORMANCE])],
        ...['--max-time', SECONDS],
        ...['--continue-on-failure', '--suppress-health-check', 'all', '--request-timeout', '30'],
        ...EXCLUDED.flatMap((id) => ['--exclude-operation-id', id]),
      ]
      const child = Bun.spawn([st, 'run', `${slugline.url}/openapi.json`, ...options], {
        cwd: directory,
        env: {
          ...slugline.env,
          ...(WITH_REFUSALS && { SCHEMATHESIS_HOOKS: 'schemathesis_hooks' }),
          PYTHONPATH: join(import.meta.dir),
          PYTHONDONTWRITEBYTECODE: '1',
        },
        stderr: 'pipe',
      })
      const text = await new Response(child.stdout).text()
      const failed = (await child.exited) !== 0
      expect(failed ? text : '').toBe('')
      expect(slugline.output()).not.toContain('INTERNAL_ERROR')
    } finally {
      await slugline.dispose()
      rmSync(directory, { recursive: true, force: true })
    }
  },
  LIMIT_MS,
)
