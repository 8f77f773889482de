import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { hasClickHouse } from '../test/harness/clickhouse.ts'
import { postgresMissing } from '../test/harness/postgres.ts'
import { redisMissing } from '../test/harness/redis.ts'
import { CORES, ROOT } from './steps.ts'

/** Tests that run together, on one of the stores. */
export interface Group {
  name: string
  /** The value of `TEST_STORE`; see test/harness/store.ts. */
  store: 'embedded' | 'postgres' | 'clickhouse'
  /** Files and folders. */
  paths: readonly string[]
  /** How many files run concurrently. */
  workers: number
  /** What this machine lacks for them. */
  missing?: string | undefined
}

/** Folders with tests beside the code. */
export const CODE = ['src', 'web/src']

/** Code that uses the database, so its tests also run on PostgreSQL, except {@link ABOVE_STORES}. */
const STORES = [
  ...[
    'features/links',
    'features/qr/routes.test.ts',
    'features/keys',
    'features/workspaces',
    'features/users',
    'features/members',
    'features/domains',
    'features/plans',
    'features/usage',
  ],
  ...[
    'features/tags',
    'features/folders',
    'statistics/shares',
    'features/utm',
    'features/views',
    'statistics/folders.test.ts',
  ],
  ...[
    'features/audit',
    'features/events',
    'features/jobs',
    'features/imports',
    'server/app.test.ts',
    'http/authenticate.test.ts',
    'http/idempotency.test.ts',
  ],
  // Without security and every-endpoint: what they test is decided above the store.
  ...['claim', 'limits', 'oidc', 'passkeys', 'pictures', 'removal', 'reset', 'second-factor'].map(
    (name) => `features/accounts/${name}.test.ts`,
  ),
  ...['features/accounts/sign-in.test.ts', 'features/accounts/sign-up.test.ts'],
  ...['http/pipeline.test.ts', 'http/rate-limit.test.ts'],
  ...['statistics/clicks.test.ts', 'statistics/live', 'statistics/report.test.ts'],
].map((path) => `src/${path}`)

/** Tests of what is decided before anything is stored, such as how files are read: they run once. */
const ABOVE_STORES: ReadonlySet<string> = new Set(
  [
    ...['bounds', 'formats/dates', 'formats/formats', 'spreadsheets', 'upload'].map(
      (name) => `imports/${name}`,
    ),
    ...['bulk/limits', 'url', 'utm', 'warnings'].map((name) => `links/${name}`),
    ...['keys/format', 'plans/load'],
  ].map((name) => `src/features/${name}.test.ts`),
)

/** API tests that depend on the store; headers and drawings are the same on all stores. */
const API = [
  ...['links', 'edits', 'errors', 'foreign-ids', 'history', 'rate-limit', 'accounts'],
  ...['paths', 'domains', 'tags'],
  ...['start', 'statistics', 'privacy', 'readme', 'dry-run', 'bulk'],
  'export',
  'delete-clicks',
  'import',
  'shares',
  'restrictions',
  'apply',
  'releases',
].map((name) => `test/e2e/${name}.test.ts`)

/** Tests that involve clicks. */
const CLICKS = ['statistics', 'privacy', 'delete-clicks', 'releases'].map(
  (name) => `test/e2e/${name}.test.ts`,
)

const scaledMissing = postgresMissing ?? redisMissing

/**
 * All tests. The same files run on several stores, with the same results. The groups run
 * concurrently, because tests mostly wait for other processes or for time to pass; the longest one
 * has the most workers, so that it has enough of them when the others have ended.
 */
export function allGroups(): Group[] {
  const embedded: Group = {
    name: 'embedded',
    store: 'embedded',
    paths: [...CODE, ...testFolders()],
    workers: 2 * CORES,
  }
  const postgres: Group = {
    name: 'the stores, the whole API and hostile requests on PostgreSQL and Redis',
    store: 'postgres',
    paths: [...filesOf(STORES), ...API, 'test/fuzz/fuzz.test.ts'],
    workers: CORES,
    missing: scaledMissing,
  }
  const clickHouse: Group = {
    name: 'clicks of the API with ClickHouse',
    store: 'clickhouse',
    paths: CLICKS,
    workers: 1,
    missing:
      scaledMissing ?? (hasClickHouse ? undefined : 'needs ClickHouse in test/harness/clickhouse'),
  }
  const groups = [embedded, postgres, clickHouse]
  for (const path of [...ABOVE_STORES, ...groups.flatMap(({ paths }) => paths)]) {
    if (!existsSync(join(ROOT, path))) throw new Error(`scripts/groups.ts: there is no ${path}`)
  }
  return groups
}

/** The files of folders that depend on the store. */
function filesOf(paths: readonly string[]): string[] {
  return paths
    .flatMap((path) =>
      path.endsWith('.ts')
        ? [path]
        : [...new Bun.Glob(`${path}/**/*.test.ts`).scanSync(ROOT)].sort(),
    )
    .filter((path) => !ABOVE_STORES.has(path))
}

/** The folders of test/ with tests. */
function testFolders(): string[] {
  const root = join(ROOT, 'test')
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .filter((name) => name !== 'harness')
    .filter((name) =>
      readdirSync(join(root, name), { recursive: true }).some((file) =>
        String(file).endsWith('.test.ts'),
      ),
    )
    .sort()
    .map((name) => `test/${name}`)
}
