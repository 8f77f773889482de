import { type ReadOnly, readOnlyOf } from '../../http/read-only.ts'
import { createLinkSchemas, type LinkRules } from './fields.ts'
import { LinkSchema } from './schemas.ts'

// The names of the writable members don't depend on the rules.
const { patch } = createLinkSchemas({} as LinkRules)

/** The members of a link that clients can't set. */
export const LINK_READ_ONLY: ReadOnly = readOnlyOf(patch, LinkSchema)
