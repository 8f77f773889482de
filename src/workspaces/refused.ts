/** Why something can't be done with a workspace. */
export type WorkspaceRefusal =
  | 'WORKSPACE_NOT_FOUND'
  | 'WORKSPACE_NAME_TAKEN'
  | 'INVALID_WORKSPACE_NAME'
  | 'UNKNOWN_PLAN'

/** Something can't be done with a workspace; the message is for the operator, in English. */
export class WorkspaceRefused extends Error {
  override name = 'WorkspaceRefused'
  constructor(
    readonly code: WorkspaceRefusal,
    message: string,
  ) {
    super(message)
  }
}
