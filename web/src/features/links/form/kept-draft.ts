import type { Draft } from './draft.ts'

/** Drafts of new links by workspace, until the page is closed. They may hold a password: never in storage. */
const drafts = new Map<string, Draft>()

/** A draft that was left without being sent; null: there is none. */
export function keptDraft(workspace: string): Draft | null {
  return drafts.get(workspace) ?? null
}

/** Keeps a draft; null: it was sent. */
export function keepDraft(workspace: string, draft: Draft | null): void {
  if (draft === null) drafts.delete(workspace)
  else drafts.set(workspace, draft)
}
