import { AppError } from '../errors/index.ts'

/** Why something can't be done with a workspace. */
export type WorkspaceRefusal = 'WORKSPACE_NOT_FOUND' | 'WORKSPACE_NAME_TAKEN'

/**
 * Something can't be done with a workspace. People in the dashboard are told by the catalogue; the
 * message, in English, says more and is for the operator at the command line.
 */
export class WorkspaceRefused extends AppError {
  constructor(code: WorkspaceRefusal, message: string) {
    super(code, { internal: message })
    this.name = 'WorkspaceRefused'
  }
}

/** The operator named a plan that there isn't. The dashboard's schemas don't let it come so far. */
export class UnknownPlan extends Error {
  override name = 'UnknownPlan'
  readonly code = 'UNKNOWN_PLAN'
}
