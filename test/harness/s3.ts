import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const PROGRAM = resolve(import.meta.dir, '../../node_modules/s3rver/bin/s3rver.js')
const BUCKET = 'backups'
/** The key that s3rver accepts. */
const KEY = 'S3RVER'

/** An S3-compatible server, with one empty bucket. */
export interface S3Server {
  bucket: string
  env: Record<string, string>
  /** The keys of its objects. */
  keys(): string[]
  /** Replaces an object. */
  overwrite(key: string, text: string): Promise<void>
  stop(): Promise<void>
}

/** Starts one on a free port of this machine. */
export async function startS3(): Promise<S3Server> {
  const directory = mkdtempSync(join(tmpdir(), 'slugline-s3-'))
  const args = ['-d', directory, '-a', '127.0.0.1', '-p', '0', '--configure-bucket', BUCKET]
  const child = Bun.spawn(['node', PROGRAM, ...args], { stdout: 'pipe', stderr: 'inherit' })
  const decoder = new TextDecoder()
  let text = ''
  let port: string | undefined
  const reader = child.stdout.getReader()
  while (port === undefined) {
    const { done, value } = await reader.read()
    if (done) throw new Error(`s3rver ended: ${text}`)
    text += decoder.decode(value)
    port = /listening on 127\.0\.0\.1:(\d+)/.exec(text)?.[1]
  }
  // Its log would fill the pipe.
  const rest = (async () => {
    while (!(await reader.read()).done);
  })()
  return {
    bucket: BUCKET,
    env: {
      BACKUP_S3_ENDPOINT: `http://127.0.0.1:${port}`,
      BACKUP_S3_ACCESS_KEY_ID: KEY,
      BACKUP_S3_SECRET_ACCESS_KEY: KEY,
    },
    keys() {
      const root = join(directory, BUCKET)
      const suffix = '._S3rver_object'
      return readdirSync(root, { recursive: true })
        .map(String)
        .filter((name) => name.endsWith(suffix) && statSync(join(root, name)).isFile())
        .map((name) => name.slice(0, -suffix.length))
        .sort()
    },
    async overwrite(key, text) {
      const endpoint = `http://127.0.0.1:${port}`
      const secrets = { accessKeyId: KEY, secretAccessKey: KEY }
      await new Bun.S3Client({ ...secrets, endpoint, bucket: BUCKET }).write(key, text)
    },
    async stop() {
      child.kill()
      await Promise.all([child.exited, rest])
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
