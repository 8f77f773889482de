import type { Draft, Format } from './types.ts'
import { flagOf } from './values.ts'

/** Kutt: links of API v2, and its table of links as CSV. */
export const kutt: Format = {
  recognizes: (columns) =>
    columns.has('address') && columns.has('target') && !columns.has('destination'),
  columns: {
    destination_url: ['target'],
    slug: ['address'],
    short_url: ['link'],
    domain: ['domain'],
    title: [],
    notes: ['description'],
    expires_at: ['expirein'],
    clicks: ['visitcount'],
    // Whether there is one, or its hash.
    password: [],
  },
  adjust(draft, cell) {
    if (flagOf(cell('banned')) === true) draft.link.enabled = false
    const { expires_at: expires } = draft.link
    if (typeof expires === 'string' && Date.parse(expires) <= 0) delete draft.link.expires_at
    refuseProtected(draft, cell('password'))
  },
}

/** A link whose password stays with its source would lead everybody to what it protects. */
export function refuseProtected(draft: Draft, password: unknown): void {
  if (password === undefined || password === null || password === '') return
  if (flagOf(password) === false) return
  draft.faults = [{ field: 'password', code: 'PASSWORD_NOT_INCLUDED' }]
}
