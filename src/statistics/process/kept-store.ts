import type { Logger } from '../../lib/base/logger.ts'
import type { Retention, Store } from '../engine/types.ts'
import { type StoreState, stateOf } from './store-state.ts'

/** How long a question waits while the store is opened for the first time, or migrated. */
const OPEN_WITHIN_MS = 5_000

/**
 * Keeps a store open, which is closed at first; after an error it is opened again. @param
 * options.file for the log
 */
export function keepStore(options: {
  /** @param began is called before its tables are migrated */
  open(began: () => void): Promise<Store>
  /** Called when the state has changed while it is opened. */
  changed?(): void
  file: string
  logger?: Pick<Logger, 'info' | 'warn'> | undefined
}) {
  const { file, open, logger, changed } = options
  let store: Store | undefined
  let state: StoreState = 'opening'
  let retention: Retention | undefined
  let opened = Promise.withResolvers<void>()

  function close(): void {
    try {
      store?.close()
    } catch (error) {
      logger?.warn({ err: error }, 'The statistics file could not be closed')
    }
    store = undefined
  }

  return {
    /** Undefined: not open. */
    get current() {
      return store
    },
    get state() {
      return state
    },
    /** Opens it if it isn't open. @throws the reason why it can't be opened */
    async open(): Promise<Store> {
      if (store !== undefined) return store
      store = await open(() => {
        state = 'migrating'
        logger?.info({ file }, 'The stored clicks are migrated')
        changed?.()
      })
      if (retention !== undefined) store.maintenance.setRetention(retention)
      if (state !== 'opening') logger?.info({ file }, 'The statistics file is open again')
      state = 'ok'
      opened.resolve()
      return store
    },
    /** After an error the open file can't be trusted: it is closed. */
    fail(error: unknown): void {
      const next = stateOf(error)
      if (next !== state) {
        logger?.warn({ err: error, state: next, file }, 'Clicks can not be stored')
      }
      state = next
      close()
      if (state === 'migrating') return
      opened.resolve()
      opened = Promise.withResolvers<void>()
    },
    /** For a query, which waits while the store is first opened or migrated. Null: not available. */
    async answers(): Promise<Store | null> {
      if (store === undefined && (state === 'opening' || state === 'migrating')) {
        const timer = setTimeout(opened.resolve, OPEN_WITHIN_MS)
        await opened.promise
        clearTimeout(timer)
      }
      return store ?? null
    },
    setRetention(given: Retention): void {
      retention = given
      store?.maintenance.setRetention(given)
    },
    close,
  }
}
