import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dir, '../..')

/** A copy of this version with one more migration, to simulate the next version. */
export interface NextVersion {
  /** Its `bin/slugline`. */
  readonly program: string
  /** The name of the migration. */
  readonly migration: string
  dispose(): void
}

/** Creates one; its migration runs these statements. */
export function makeNextVersion(statements: readonly string[]): NextVersion {
  const dir = mkdtempSync(join(tmpdir(), 'slugline-next-'))
  for (const name of ['bin', 'src', 'sdk', 'package.json', 'openapi.json']) {
    cpSync(join(ROOT, name), join(dir, name), { recursive: true })
  }
  for (const name of ['node_modules', 'web']) symlinkSync(join(ROOT, name), join(dir, name))
  const folder = join(dir, 'src/platform/storage/migrations')
  writeFileSync(
    join(folder, 'postgres-9999-next.ts'),
    `import { type Kysely, sql } from 'kysely'
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of ${JSON.stringify(statements)}) await sql.raw(statement).execute(db)
}
`,
  )
  const list = join(folder, 'index.ts')
  const text = readFileSync(list, 'utf8')
  const start = 'export const POSTGRES_MIGRATIONS: Record<string, PostgresMigration> = {'
  if (!text.includes(start)) throw new Error('The list of migrations looks different')
  writeFileSync(
    list,
    `import * as next from './postgres-9999-next.ts'\n${text.replace(start, `${start}\n  '9999-next': next,`)}`,
  )
  return {
    program: join(dir, 'bin/slugline'),
    migration: '9999-next',
    dispose: () => rmSync(dir, { recursive: true, force: true }),
  }
}
