import { readFileSync } from 'node:fs'
import { BadValue } from './parse.ts'

/**
 * Settings that hold a secret. Each may lie in a file whose path is in `NAME_FILE`, as Docker,
 * Kubernetes and systemd hand secrets out.
 */
const SECRETS = [
  'SLUGLINE_SECRET',
  'DATABASE_URL',
  'DATABASE_REPLICA_URL',
  'REDIS_URL',
  'CLICKHOUSE_URL',
  'SMTP_URL',
  'OIDC_CLIENT_SECRET',
]

/** The variables that say where those files are. */
export const FILE_VARIABLES: readonly string[] = SECRETS.map((name) => `${name}_FILE`)

/**
 * A setting, from the environment or from its file; undefined: it isn't set.
 * @throws BadValue when the file can't be read or is empty, or both are set.
 */
export function givenValue(
  variables: Readonly<Record<string, string | undefined>>,
  name: string,
): string | undefined {
  const value = variables[name]?.trim() || undefined
  const file = SECRETS.includes(name) ? variables[`${name}_FILE`]?.trim() : undefined
  if (!file) return value
  if (value !== undefined) {
    throw new BadValue(`is set, and ${name}_FILE too`, `one of them, e.g. ${name}_FILE`)
  }
  const example = `${name}_FILE=/run/secrets/${name.toLowerCase()}`
  let text: string
  try {
    text = readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new BadValue(
      `should be in ${file}, which can't be read (${(error as NodeJS.ErrnoException).code})`,
      example,
    )
  }
  // Not as if it were unset: a node that loses its database would start as an empty instance.
  if (text === '') throw new BadValue(`should be in ${file}, which is empty`, example)
  return text
}
