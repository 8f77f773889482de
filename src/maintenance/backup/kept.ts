import type { BackupConfig } from '../../platform/config/index.ts'
import { type Backup, type BackupOptions, createBackup } from './create.ts'
import type { BackupStore } from './types.ts'

const DAY_MS = 86_400_000

/** Names of backups, with the second of their start; `.partial` marks interrupted ones. */
const NAME = /^slugline-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z(?:\.partial)?$/

/** How many backups are kept, and for how long. */
export type Retention = Pick<BackupConfig, 'keep' | 'keepDays'>

/** Makes a backup named after the current second, then removes expired ones. */
export async function addBackup(
  options: BackupOptions,
  store: BackupStore,
  retention: Retention,
  now: number,
): Promise<Backup & { removed: string[] }> {
  const removed: string[] = []
  const made = await createBackup(options, { store, name: nameOf(now) }, async () => {
    for (const name of outdated(await store.list(), retention, now)) {
      await store.remove(name)
      removed.push(name)
    }
  })
  return { ...made, removed }
}

function nameOf(now: number): string {
  return `slugline-${new Date(now).toISOString().replace(/[-:]|\.\d+/g, '')}`
}

/** When a backup was started, by its name, in milliseconds; null: another file. */
export function timeOf(name: string): number | null {
  if (!NAME.test(name)) return null
  const time = Date.parse(name.replace(NAME, '$1-$2-$3T$4:$5:$6Z'))
  return Number.isNaN(time) ? null : time
}

/** Expired backups: never the newest, and no names of another form. */
export function outdated(
  found: Awaited<ReturnType<BackupStore['list']>>,
  { keep, keepDays }: Retention,
  now: number,
): string[] {
  const ours = found
    .flatMap(({ name, isComplete }) => {
      const time = timeOf(name)
      return time === null ? [] : [{ name, isComplete, time }]
    })
    .sort((a, b) => b.time - a.time)
  const complete = ours.filter(({ isComplete }) => isComplete)
  const old = complete.filter(
    ({ time }, at) =>
      at > 0 && (at >= keep || (keepDays !== null && now - time > keepDays * DAY_MS)),
  )
  // No other backup is running, so incomplete ones were interrupted.
  return [...old, ...ours.filter(({ isComplete }) => !isComplete)].map(({ name }) => name)
}
