import { resolve } from 'node:path'
import { Secret } from '../../lib/base/secret.ts'
import { type ConfigFault, missing } from './fault.ts'
import { BadValue, integer, origin } from './parse.ts'
import type { Get } from './variables.ts'

const S3_EXAMPLE = 's3://bucket/slugline'

/** Where backups are kept, and when they are made. */
export type BackupConfig = ReturnType<typeof backupOf>

/** How S3-compatible storage is reached. */
export interface S3Config {
  /** An origin; null: Amazon's, for the region. */
  endpoint: string | null
  region: string
  accessKeyId: Secret
  secretAccessKey: Secret
}

/** A directory's absolute path, or `s3://bucket/prefix`, without a trailing slash. */
export type BackupPlace = { directory: string } | { bucket: string; prefix: string }

/** The settings of backups. */
export function backupOf(get: Get, faults: ConfigFault[], isScaled: boolean) {
  const to = get('BACKUP_TO', backupPlace, null)
  const schedule = get('BACKUP_SCHEDULE', cron, null)
  const s3 = s3Of(get, faults)
  if (schedule !== null && to === null) missing(faults, 'BACKUP_TO', 'BACKUP_SCHEDULE', S3_EXAMPLE)
  if (to !== null && 'bucket' in to && s3 === null) {
    missing(faults, 'BACKUP_S3_ACCESS_KEY_ID', 'BACKUP_TO', 'the id of an access key')
  }
  if (isScaled && (to !== null || schedule !== null)) {
    faults.push({
      variable: to === null ? 'BACKUP_SCHEDULE' : 'BACKUP_TO',
      problem:
        'is set, and so is DATABASE_URL: back up several nodes with the tools of their databases',
      example: 'leave it unset; see docs/backup.md',
    })
  }
  return {
    /** Null: commands must name the place. */
    to,
    /** In UTC; null: backups are made only by command. */
    schedule,
    /** The number of newest backups to keep. */
    keep: get('BACKUP_KEEP', integer(1, 10_000, '7'), 7),
    /** How many days to keep those; null: whatever their age. */
    keepDays: get('BACKUP_KEEP_DAYS', integer(1, 36_500, '30'), null),
    s3,
  }
}

/** Reads `/directory` or `s3://bucket/prefix`. @throws BadValue */
export function backupPlace(value: string): BackupPlace {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(value)) return { directory: resolve(value) }
  const [, bucket, prefix = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,62})(?:\/(.*))?$/.exec(value) ?? []
  if (bucket !== undefined && !/[?#]|(?:^|\/)\.{1,2}(?:\/|$)/.test(prefix)) {
    return { bucket, prefix: prefix.replace(/\/+$/, '') }
  }
  throw new BadValue('is neither a directory nor a URL like s3://bucket/prefix', S3_EXAMPLE)
}

function s3Of(get: Get, faults: ConfigFault[]): S3Config | null {
  const endpoint = get('BACKUP_S3_ENDPOINT', origin, null)
  const region = get('BACKUP_S3_REGION', (value) => value, 'us-east-1')
  const secret = (value: string) => new Secret(value)
  const accessKeyId = get('BACKUP_S3_ACCESS_KEY_ID', secret, null)
  const secretAccessKey = get('BACKUP_S3_SECRET_ACCESS_KEY', secret, null)
  if (accessKeyId !== null && secretAccessKey !== null) {
    return { endpoint, region, accessKeyId, secretAccessKey }
  }
  if (accessKeyId !== null) {
    const example = 'the secret of that access key'
    missing(faults, 'BACKUP_S3_SECRET_ACCESS_KEY', 'BACKUP_S3_ACCESS_KEY_ID', example)
  }
  return null
}

/** Five cron fields, or a name like `@daily`. */
function cron(value: string): string {
  try {
    if (Bun.cron.parse(value, 0, { tz: 'UTC' }) !== null) return value
  } catch {
    // Bun's message names its own types.
  }
  throw new BadValue(
    "isn't a schedule of five fields (minute, hour, day, month, weekday), or never occurs",
    '0 3 * * * or @daily',
  )
}
