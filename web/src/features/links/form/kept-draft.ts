import type { Draft } from './draft.ts'

/**
 * Unsent drafts by workspace, until the page is closed. They may contain a password: not stored.
 */
const drafts = new Map<string, Draft>()

/** A draft that was left without sending; null: none. */
export function keptDraft(workspace: string): Draft | null {
  return drafts.get(workspace) ?? null
}

/** Keeps a draft; null deletes it. */
export function keepDraft(workspace: string, draft: Draft | null): void {
  if (draft === null) drafts.delete(workspace)
  else drafts.set(workspace, draft)
}
