import { CommandError } from './context.ts'

/** A class of errors by which a service refuses: a stable code, and a message for the operator. */
type Refusal = abstract new (...parameters: never) => Error & { readonly code: string }

/**
 * Runs `work`; what a service refused by one of `kinds` comes out as a CommandError: status 2 for
 * what was written wrongly, 1 for what can't be done.
 */
export async function explained<T>(kinds: readonly Refusal[], work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    for (const kind of kinds) {
      if (!(error instanceof kind)) continue
      throw new CommandError(error.message, error.code.startsWith('INVALID_') ? 2 : 1, error.code)
    }
    throw error
  }
}
