import { z } from 'zod'
import { validate } from '../http/index.ts'
import { trimmed } from '../users/input.ts'
import { checked } from '../validation/checked.ts'
import { Fault } from '../validation/fault.ts'

/** A workspace's name has at most so many characters. */
export const WORKSPACE_NAME_MAX = 100
/** What an id looks like: no name may, so that one argument can be either. */
const ID_SHAPE = /^wsp_[0-9a-z]{26}$/

/** Whether the text can only be an id. */
export function looksLikeId(text: string): boolean {
  return ID_SHAPE.test(text)
}

/** The name without regard to case, to search by. Upper case first: ß is SS. */
export function nameKey(name: string): string {
  return name.normalize('NFC').trim().toUpperCase().toLowerCase().normalize('NFC')
}

const schema = z.object({
  name: checked(z.string(), (text) => {
    const name = trimmed(WORKSPACE_NAME_MAX)(text)
    return name instanceof Fault || !looksLikeId(name) ? name : new Fault('INVALID_VALUE', {})
  }),
})

/** The name as it is stored. @throws AppError VALIDATION_FAILED */
export function checkName(name: string): string {
  return validate(schema, { name }).name
}
