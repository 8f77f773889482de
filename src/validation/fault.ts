import type { DetailCode, ErrorDetail } from '../errors/index.ts'

/** What is wrong with one value; `path` leads from the field to the item, if it is one. */
export class Fault {
  constructor(
    readonly code: DetailCode,
    readonly params?: ErrorDetail['params'],
    readonly path: readonly PropertyKey[] = [],
  ) {}

  /** The same fault of the item at `index` of a list. */
  at(index: number): Fault {
    return new Fault(this.code, this.params, [index, ...this.path])
  }
}
