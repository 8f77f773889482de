/**
 * The workspace whose request is being validated. Schemas are created once and their checks receive
 * only the value. Checks are synchronous, so requests can't interleave.
 */
let requesting: number | null = null

/** Runs checks for a workspace, on which their result may depend. */
export function checkForWorkspace<T>(workspaceNo: number | null, check: () => T): T {
  const before = requesting
  requesting = workspaceNo
  try {
    return check()
  } finally {
    requesting = before
  }
}

/** The number of the workspace being validated for; null: none, so only shared values are valid. */
export function requestingWorkspace(): number | null {
  return requesting
}
