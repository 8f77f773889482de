/** Days for which a workspace's clicks are kept; null: without end. */
export type Retention = readonly (readonly [workspaceNo: number, days: number | null])[]

/** A notice to the statistics process. Workspaces that are missing keep their clicks. */
export interface RetentionNotice {
  retention: Retention
}

/**
 * State of the store: `opening` (not tried yet), `ok`, `locked` (another process has the file),
 * `corrupt` (damaged, or not one of ours), `full` (no space left), `failed` (any other reason).
 */
export type StoreState = 'opening' | 'ok' | 'locked' | 'corrupt' | 'full' | 'failed'

/** What the statistics process reports of itself with each pass. */
export interface StoreReport {
  state: StoreState
  /** Time from which all clicks are stored; 0: all that there ever were. */
  since: number
  /** Clicks stored since the start. */
  stored: number
  fileBytes: number
}
