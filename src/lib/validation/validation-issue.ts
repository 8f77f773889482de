import type { DetailCode, ErrorDetail } from '../errors/index.ts'

/** What is wrong with a value; `path` leads from the field to the item or member concerned. */
export class ValidationIssue {
  constructor(
    readonly code: DetailCode,
    readonly params?: ErrorDetail['params'],
    readonly path: readonly PropertyKey[] = [],
  ) {}

  /** The fault as an error's detail of a field. */
  of(field: string): ErrorDetail {
    const { code, params } = this
    return { field, code, ...(params && { params }) } as ErrorDetail
  }

  /** The same fault, of a member or of the item at an index. */
  at(key: PropertyKey): ValidationIssue {
    return new ValidationIssue(this.code, this.params, [key, ...this.path])
  }
}
