/**
 * The workspace whose request is being checked. Schemas are made once, and their checks get the value
 * alone; they run without a break, so that no other check can come in between.
 */
let asking: number | null = null

/** Runs checks for a workspace: what they allow may depend on it. */
export function checkingFor<T>(workspaceNo: number | null, check: () => T): T {
  const before = asking
  asking = workspaceNo
  try {
    return check()
  } finally {
    asking = before
  }
}

/** The number of the workspace that asks; null: none, so only what all share is allowed. */
export function askingWorkspace(): number | null {
  return asking
}
