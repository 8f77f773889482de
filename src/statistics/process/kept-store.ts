import type { Logger } from '../../base/logger.ts'
import type { Retention, StoreState } from './messages.ts'
import type { Store } from './store.ts'
import { stateOf } from './store-state.ts'

/** A question that comes while the file is being opened waits for it this long. */
const OPEN_WITHIN_MS = 5_000

/** The store while it is open; after an error it is opened anew. */
export interface KeptStore {
  /** Undefined: not open. */
  readonly now: Store | undefined
  readonly state: StoreState
  /** Opens it if it isn't. @throws whatever is wrong with it */
  open(): Promise<Store>
  /** After an error of DuckDB the open file can't be trusted: it is closed. */
  fail(error: unknown): void
  /** For a question, which waits while the file is opened for the first time; null: not now. */
  answers(): Promise<Store | null>
  setRetention(retention: Retention): void
  close(): void
}

/** What {@link keepStore} works with. */
export interface KeptStoreOptions {
  file: string
  open(): Promise<Store>
  /** The state is another one. */
  failed(): void
  logger?: Pick<Logger, 'info' | 'warn'> | undefined
}

/** Begins with none that is open. */
export function keepStore({ file, open, failed, logger }: KeptStoreOptions): KeptStore {
  let store: Store | undefined
  let state: StoreState = 'opening'
  let retention: Retention | undefined
  let opened = Promise.withResolvers<void>()

  function close(): void {
    try {
      store?.close()
    } catch (error) {
      logger?.warn({ err: error }, 'The statistics file does not close')
    }
    store = undefined
  }

  return {
    get now() {
      return store
    },
    get state() {
      return state
    },
    async open() {
      if (store !== undefined) return store
      store = await open()
      if (retention !== undefined) store.maintenance.setRetention(retention)
      if (state !== 'opening') logger?.info({ file }, 'The statistics file is open again')
      state = 'ok'
      opened.resolve()
      return store
    },
    fail(error) {
      const now = stateOf(error)
      if (now !== state) {
        logger?.warn({ err: error, state: now, file }, 'Clicks can not be stored')
      }
      state = now
      close()
      opened.resolve()
      opened = Promise.withResolvers<void>()
      failed()
    },
    async answers() {
      if (store === undefined && state === 'opening') {
        const timer = setTimeout(opened.resolve, OPEN_WITHIN_MS)
        await opened.promise
        clearTimeout(timer)
      }
      return store ?? null
    },
    setRetention(given) {
      retention = given
      store?.maintenance.setRetention(given)
    },
    close,
  }
}
