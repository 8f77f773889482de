import { AppError, Refused } from '../errors/index.ts'
import { CommandError } from './context.ts'

/**
 * Runs `work`; a refusal that has a message for the operator comes out as a CommandError: status 2
 * for what was written wrongly, 1 for what can't be done.
 */
export async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const hasMessage = error instanceof AppError && error.message !== error.code
    if (!(error instanceof Refused) && !hasMessage) throw error
    const { code, message } = error as Refused | AppError
    throw new CommandError(message, code.startsWith('INVALID_') ? 2 : 1, code)
  }
}

/** The one workspace that a name or an id stands for. @throws CommandError */
export function onlyWorkspace<T>(rows: readonly T[], ref: string): T {
  const [row, other] = rows
  if (row === undefined) {
    throw new CommandError(`There is no workspace ${ref}`, 1, 'WORKSPACE_NOT_FOUND')
  }
  if (other === undefined) return row
  const message = `There are several workspaces ${ref}: name the id (workspaces list)`
  throw new CommandError(message, 1, 'WORKSPACE_AMBIGUOUS')
}
