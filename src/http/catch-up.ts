import { AppError } from '../lib/errors/index.ts'
import type { Transaction } from '../platform/storage/index.ts'
import type { AddedEndpoint } from './added-endpoint.ts'
import type { Answer, ApiDeps } from './types.ts'

/**
 * Makes redirects of this process obey what a response says. They obey what the request itself has
 * changed; but a response without a change, such as a replay or 404, may be due to a change of
 * another process, or to one whose response was lost.
 */
export class CatchUp {
  readonly #caughtUp: ApiDeps['caughtUp']
  #hasChanged = false

  constructor({ caughtUp }: Pick<ApiDeps, 'caughtUp'>) {
    this.#caughtUp = caughtUp
  }

  /** Notes whether `work` changes links. A transaction may be retried: only its last run counts. */
  noting<T>(work: (tx: Transaction) => Promise<T>): (tx: Transaction) => Promise<T> {
    return (tx) => {
      const { linkChanged } = tx
      this.#hasChanged = false
      if (linkChanged !== undefined) {
        tx.linkChanged = (change) => {
          this.#hasChanged = true
          linkChanged(change)
        }
      }
      return work(tx)
    }
  }

  /** Runs a handler. @throws StorageUnavailable, and what it throws */
  async around(endpoint: AddedEndpoint, handle: () => Promise<Answer>): Promise<Answer> {
    try {
      const answer = await handle()
      if (!this.#obeys(endpoint, answer)) await this.#caughtUp?.()
      return answer
    } catch (error) {
      if (error instanceof AppError && endpoint.method !== 'get') await this.#caughtUp?.()
      throw error
    }
  }

  #obeys({ method, cost }: AddedEndpoint, { rendered }: Answer): boolean {
    if (method === 'get') return true
    const isReplay = rendered !== undefined && 'Idempotent-Replayed' in rendered.headers
    // Of several operations, some may have changed nothing.
    return this.#hasChanged && !isReplay && cost === undefined
  }
}
