import { createReadStream, readdirSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { z } from 'zod'
import { OperatorError } from '../../lib/errors/index.ts'

/** The format of a backup. */
const FORMAT = 1
/** The file that makes a directory a backup: it is written last. */
export const MANIFEST = 'manifest.json'

const schema = z.object({
  format: z.literal(FORMAT),
  /** The version of Slugline that made it. */
  version: z.string(),
  /** It contains everything answered before `began_at`. RFC 3339. */
  began_at: z.iso.datetime(),
  ended_at: z.iso.datetime(),
  /** Whether the backup contains the secret, or SLUGLINE_SECRET had it. */
  secret: z.enum(['file', 'environment']),
  files: z.array(
    z.object({
      // Never reads files outside of the backup, whatever the manifest contains.
      name: z.string().regex(/^(?:journal\/)?[\w-][\w.-]*$/),
      bytes: z.int().min(0),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  ),
})

/** The description of a backup. */
export type Manifest = z.output<typeof schema>

/** Describes the files of a directory. */
export async function describeFiles(
  directory: string,
  about: Omit<Manifest, 'format' | 'files'>,
): Promise<Manifest> {
  const files: Manifest['files'] = []
  for (const name of namesIn(directory)) files.push(await describe(directory, name))
  return { format: FORMAT, ...about, files }
}

/** The files of a backup, without its manifest. */
function namesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => relative(directory, join(parentPath, name)))
    .filter((name) => name !== MANIFEST)
    .sort()
}

async function describe(directory: string, name: string): Promise<Manifest['files'][number]> {
  const file = join(directory, name)
  const hash = new Bun.CryptoHasher('sha256')
  for await (const part of createReadStream(file)) hash.update(part)
  return { name, bytes: statSync(file).size, sha256: hash.digest('hex') }
}

/** Reads a manifest. @param where it is from, for the message. @throws OperatorError */
export function parseManifest(text: string, where: string): Manifest {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    json = null
  }
  const format = (json as { format?: unknown } | null)?.format
  if (typeof format === 'number' && format > FORMAT) {
    throw damaged(`${where} was made by a newer version of Slugline`, 'BACKUP_NEWER')
  }
  const parsed = schema.safeParse(json)
  if (parsed.success) return parsed.data
  throw damaged(`The ${MANIFEST} of ${where} is damaged`)
}

/** The size of a backup without its manifest. */
export function bytesOf({ files }: Manifest): number {
  return files.reduce((sum, file) => sum + file.bytes, 0)
}

/** Checks that all files are as described, and there are no others. @throws OperatorError */
export async function assertFiles(directory: string, { files }: Manifest): Promise<void> {
  const there = new Set(namesIn(directory))
  for (const { name, bytes, sha256 } of files) {
    if (!there.delete(name)) throw damaged(`${name} is missing from the backup`)
    const found = await describe(directory, name)
    if (found.bytes !== bytes) {
      throw damaged(`${name} has ${found.bytes} bytes instead of ${bytes}`)
    }
    if (found.sha256 !== sha256)
      throw damaged(`${name} is not what was written: its SHA-256 differs`)
  }
  const [other] = there
  if (other !== undefined) throw damaged(`${other} does not belong to the backup`)
}

/** The error for an unusable backup. */
export function damaged(message: string, code = 'BACKUP_DAMAGED'): OperatorError {
  return new OperatorError(code, message)
}

/** The error for a directory without a manifest. */
export function noBackup(where: string): OperatorError {
  const message = `${where} is not a backup, or one that was interrupted: it has no ${MANIFEST}`
  return new OperatorError('NOT_A_BACKUP', message)
}
