import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from '../../../lib/base/logger.ts'
import type { Execute } from '../kysely.ts'
import { asStorageError, type SqliteConnection } from './connection.ts'
import {
  areUnfilled,
  draftCounters,
  faultOfCounters,
  inodeOf,
  isBroken,
  isDamage,
  replaceCounters,
} from './counters-file.ts'

/** A file that was found whole is not read again for so long: the links' may be the damaged one. */
const READ_AGAIN_MS = 60_000
/** What a few reads have shown is looked at again after so long. */
const LOOK_AGAIN_MS = 100

/** `damaged`: the file can't be used; `rebuilding`: a new one is there, and not filled yet. */
export type CountersState = 'ok' | 'damaged' | 'rebuilding'

/** Options of {@link attachCounters}. */
interface AttachOptions {
  /** The serving thread's connection to the links, with the counters attached. */
  reader: SqliteConnection
  file: string
  /** The instance of the links; null: not known. */
  instance: string | null
  /** Makes the other reading thread open its files again. */
  renewReports(): void
}

/** Called when another file is in place of the counters, to be filled if it is new. */
export interface CountersOptions {
  logger?: Pick<Logger, 'warn' | 'error'> | undefined
  replaced?: (() => void) | undefined
}

export type AttachedCounters = ReturnType<typeof attachCounters>

/**
 * Follows the file of counters: links don't depend on it. If it is damaged, lost, or another
 * instance's, a new one takes its place, which the click worker fills from the stored clicks.
 */
export function attachCounters(
  { reader, file, instance, renewReports }: AttachOptions,
  { logger, replaced }: CountersOptions,
) {
  const { raw } = reader
  let inode = inodeOf(file)
  /** How often a file was attached since the start. */
  let attached = 0
  let mending: Promise<boolean> | undefined
  let readAt = Number.NEGATIVE_INFINITY
  let isStuck = false

  async function isDamaged(): Promise<boolean> {
    const isOther = inodeOf(file) !== inode
    if (faultOfCounters(file, instance) !== null) {
      // Seen twice, because the file is written meanwhile.
      await wait(LOOK_AGAIN_MS)
      return faultOfCounters(file, instance) !== null
    }
    if (!isOther && performance.now() - readAt < READ_AGAIN_MS) return false
    const broken = await isBroken(file)
    readAt = performance.now()
    return broken
  }

  async function replace(): Promise<void> {
    const draft = await draftCounters(file, instance)
    raw.run('DETACH counters')
    let kept: string | null = null
    try {
      kept = replaceCounters(file, draft)
    } finally {
      attach()
    }
    logger?.warn(
      { file, kept },
      'The counters are damaged or lost: they are made anew from the stored clicks',
    )
  }

  function attach(): void {
    raw.run('ATTACH ? AS counters', [file])
    inode = inodeOf(file)
    attached++
    renewReports()
  }

  async function mend(): Promise<boolean> {
    try {
      if (await isDamaged()) await replace()
      else if (inodeOf(file) !== inode) {
        raw.run('DETACH counters')
        attach()
      } else return false
      isStuck = false
      replaced?.()
      return true
    } catch (err) {
      if (!isStuck) logger?.error({ err, file }, 'The counters are damaged, and not made anew')
      isStuck = true
      return false
    }
  }

  /** Looks what is wrong, and mends it. False: nothing was, or it can't be mended now. */
  function check(): Promise<boolean> {
    mending ??= mend().finally(() => {
      mending = undefined
    })
    return mending
  }

  return {
    check,
    /** By a few reads. */
    state(): CountersState {
      try {
        if (inodeOf(file) === inode && faultOfCounters(file, instance) === null) {
          return areUnfilled(reader, 'counters') ? 'rebuilding' : 'ok'
        }
      } catch {
        // It can't be read.
      }
      void check()
      return 'damaged'
    },
    /** Repeats what has failed by damaged counters, once they are mended. */
    guard(execute: Execute): Execute {
      return (text, values) => {
        const before = attached
        const retried = async (error: unknown) => {
          if (!isDamage(error)) throw asStorageError(error)
          // It may have been mended while the statement was under way.
          if (attached === before && !(await check())) throw asStorageError(error)
          return await execute(text, values)
        }
        try {
          const outcome = execute(text, values)
          return outcome instanceof Promise ? outcome.catch(retried) : outcome
        } catch (error) {
          return retried(error)
        }
      }
    },
  }
}
