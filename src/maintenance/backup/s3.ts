import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { S3Client } from 'bun'
import { OperatorError } from '../../lib/errors/index.ts'
import type { S3Config } from '../../platform/config/index.ts'
import { damaged, MANIFEST, noBackup } from './manifest.ts'
import type { BackupStore } from './types.ts'

/** The part size of uploads; four parts are in memory. */
const PART_BYTES = 8_388_608
const PARTS_AT_ONCE = 4

/** Opens a prefix of a bucket. @param staging a directory, emptied first, for backups to upload */
export function openS3(
  { bucket, prefix }: { bucket: string; prefix: string },
  config: S3Config,
  staging: string,
): BackupStore {
  const { endpoint, region } = config
  const client = new S3Client({
    bucket,
    region,
    ...(endpoint !== null && { endpoint }),
    accessKeyId: config.accessKeyId.reveal(),
    secretAccessKey: config.secretAccessKey.reveal(),
  })
  const base = prefix === '' ? '' : `${prefix}/`
  const where = `s3://${bucket}/${base}`
  const keyOf = (name: string, file: string) => `${base}${name}/${file}`
  const asked = <T>(work: () => Promise<T>) =>
    work().catch((error) => Promise.reject(explain(error, where)))

  /** Keys below a prefix, without it, and their sizes. */
  async function list(below: string): Promise<Map<string, number>> {
    const found = new Map<string, number>()
    for (let from: string | undefined; ; ) {
      const page = await asked(() =>
        client.list({ prefix: below, ...(from !== undefined && { continuationToken: from }) }),
      )
      for (const { key, size } of page.contents ?? []) {
        found.set(key.slice(below.length), Number(size ?? 0))
      }
      from = page.nextContinuationToken
      if (!page.isTruncated || from === undefined) return found
    }
  }

  async function upload(name: string, file: string): Promise<void> {
    const options = { partSize: PART_BYTES, queueSize: PARTS_AT_ONCE, retry: 3 }
    await asked(() => client.write(keyOf(name, file), Bun.file(join(staging, file)), options))
  }

  return {
    async list() {
      const names = new Map<string, boolean>()
      for (const key of (await list(base)).keys()) {
        const [name = '', file] = key.split('/')
        if (file !== undefined) names.set(name, names.get(name) || key === `${name}/${MANIFEST}`)
      }
      return [...names].map(([name, isComplete]) => ({ name, isComplete }))
    },
    async create(name, fill) {
      if ((await list(keyOf(name, ''))).size > 0) {
        throw new OperatorError(
          'TARGET_NOT_EMPTY',
          `${where}${name} already exists: use another name`,
        )
      }
      rmSync(staging, { recursive: true, force: true })
      mkdirSync(staging, { mode: 0o700 })
      try {
        const manifest = await fill(staging)
        for (const file of manifest.files) await upload(name, file.name)
        const there = await list(keyOf(name, ''))
        const lost = manifest.files.find((file) => there.get(file.name) !== file.bytes)
        if (lost !== undefined)
          throw damaged(`${lost.name} was not uploaded completely to ${where}${name}`)
        // The manifest makes it complete.
        await upload(name, MANIFEST)
        return manifest
      } finally {
        rmSync(staging, { recursive: true, force: true })
      }
    },
    async remove(name) {
      const below = keyOf(name, '')
      await asked(() => client.delete(keyOf(name, MANIFEST)))
      for (const file of (await list(below)).keys()) await asked(() => client.delete(below + file))
    },
    open: (name) => ({
      where: `${where}${name}`,
      async manifest() {
        const file = client.file(keyOf(name, MANIFEST))
        if (!(await asked(() => file.exists()))) throw noBackup(`${where}${name}`)
        return await asked(() => file.text())
      },
      async fetch(from, to) {
        const file = client.file(keyOf(name, from))
        if (!(await asked(() => file.exists()))) throw damaged(`${from} is missing from the backup`)
        await asked(async () => {
          const sink = Bun.file(to).writer()
          for await (const part of file.stream()) {
            sink.write(part)
            await sink.flush()
          }
          await sink.end()
        })
      },
    }),
  }
}

/** S3's error as a message for the operator. */
function explain(error: unknown, where: string): unknown {
  const { name, code, message } = error as Error & { code?: string }
  if (name !== 'S3Error') return error
  const advice = 'check BACKUP_TO and the settings that begin with BACKUP_S3_'
  return new OperatorError('S3_FAILED', `${where} can't be used (${code}: ${message}): ${advice}`)
}
