/** A page of a list. */
export interface Page<T> {
  data: T[]
  pagination: { limit: number; has_more: boolean; next_cursor: string | null; total?: number }
}

/** A list: `for await (const item of list)` requests its pages as they are needed. */
export class List<T, P extends Page<T> = Page<T>> implements AsyncIterable<T> {
  readonly #load: (cursor: string | undefined) => Promise<P>
  constructor(load: (cursor: string | undefined) => Promise<P>) {
    this.#load = load
  }

  /** The first page. */
  page(): Promise<P> {
    return this.#load(undefined)
  }

  async *pages(): AsyncGenerator<P, void, undefined> {
    let cursor: string | undefined
    do {
      const page = await this.#load(cursor)
      yield page
      cursor = page.pagination.next_cursor ?? undefined
    } while (cursor !== undefined)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const { data } of this.pages()) yield* data
  }
}
