/**
 * The workspace whose request is being validated. Schemas are created once and their checks receive
 * only the value. Checks are synchronous, so requests can't interleave.
 */
let asking: number | null = null

/** Runs checks for a workspace, on which their result may depend. */
export function checkingFor<T>(workspaceNo: number | null, check: () => T): T {
  const before = asking
  asking = workspaceNo
  try {
    return check()
  } finally {
    asking = before
  }
}

/** The number of the workspace being validated for; null: none, so only shared values are valid. */
export function askingWorkspace(): number | null {
  return asking
}
