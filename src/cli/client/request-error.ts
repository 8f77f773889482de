import {
  ConnectionError,
  InvalidIdError,
  SluglineError,
} from '../../../sdk/typescript/src/errors.ts'
import { CommandError } from '../context.ts'

/** An error of the SDK as the failure of a command, with the instance's message; others as they are. */
export function commandErrorOf(error: unknown): unknown {
  if (error instanceof InvalidIdError) return new CommandError(error.message, 2)
  if (!(error instanceof SluglineError)) return error
  const code = error instanceof ConnectionError ? 'UNREACHABLE' : error.code
  const details = error.details.map(({ field, code, message }) => ({ field, code, message }))
  return new CommandError(error.message, 1, code, details.length > 0 ? details : undefined)
}
