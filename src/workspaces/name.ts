import { AppError } from '../errors/index.ts'

/** A workspace's name has at most so many characters. */
export const WORKSPACE_NAME_MAX = 100
/** What an id looks like: no name may, so that one argument can be either. */
const ID_SHAPE = /^wsp_[0-9a-z]{26}$/
const CONTROL_CHARACTERS = /\p{Cc}/u

/** Whether the text can only be an id. */
export function looksLikeId(text: string): boolean {
  return ID_SHAPE.test(text)
}

/** The name without regard to case, to search by. Upper case first: ß is SS. */
export function nameKey(name: string): string {
  return name.normalize('NFC').trim().toUpperCase().toLowerCase().normalize('NFC')
}

/** The name as it is kept. @throws AppError VALIDATION_FAILED */
export function checkName(input: string): string {
  const name = input.normalize('NFC').trim()
  const fault = faultOf(name)
  if (fault === undefined) return name
  throw new AppError('VALIDATION_FAILED', { details: [{ field: 'name', ...fault }] })
}

function faultOf(name: string) {
  if (name === '') return { code: 'REQUIRED' } as const
  if ([...name].length > WORKSPACE_NAME_MAX) {
    return { code: 'TOO_LONG', params: { max: WORKSPACE_NAME_MAX } } as const
  }
  if (looksLikeId(name)) return { code: 'INVALID_VALUE', params: {} } as const
  return CONTROL_CHARACTERS.test(name) ? ({ code: 'INVALID_CHARACTERS' } as const) : undefined
}
