import { z } from 'zod'
import { validate } from '../../http/index.ts'
import { checked } from '../../lib/validation/checked.ts'
import { compose } from '../../lib/validation/text.ts'
import { ValidationIssue } from '../../lib/validation/validation-issue.ts'
import { trimmed } from '../users/input.ts'

/** The most characters of a workspace's name. */
export const WORKSPACE_NAME_MAX = 100
/** The form of ids. Names must not have it, so that an argument can be either. */
const ID_SHAPE = /^wsp_[0-9a-z]{26}$/

/** Whether the text can only be an id. */
export function looksLikeId(text: string): boolean {
  return ID_SHAPE.test(text)
}

/** The key of a name for case-insensitive search. Upper-cased first: ß becomes SS. */
export function nameKey(name: string): string {
  return compose(compose(name).trim().toUpperCase().toLowerCase())
}

const schema = z.object({
  name: checked(z.string(), (text) => {
    const name = trimmed(WORKSPACE_NAME_MAX)(text)
    return name instanceof ValidationIssue || !looksLikeId(name)
      ? name
      : new ValidationIssue('INVALID_VALUE', {})
  }),
})

/** The name in its stored form. @throws AppError VALIDATION_FAILED */
export function checkName(name: string): string {
  return validate(schema, { name }).name
}
