import type { Link } from '../calls.ts'
import type { Draft } from './draft.ts'

/**
 * Unsent drafts by workspace, until the page is closed. They may contain a password: not stored.
 */
const drafts = new Map<string, Draft>()
/** The drafts that a person has left without sending, not those that the next form is opened with. */
const left = new WeakSet<Draft>()

/** The draft to open the form with; null: none. */
export function keptDraft(workspace: string): Draft | null {
  return drafts.get(workspace) ?? null
}

/** Whether this draft was left without sending. */
export function wasLeft(draft: Draft): boolean {
  return left.has(draft)
}

/** Notes that the form is closed, if its draft is still kept. */
export function leaveDraft(workspace: string, draft: Draft): void {
  if (drafts.get(workspace) === draft) left.add(draft)
}

/** Keeps a draft; null deletes it. */
export function keepDraft(workspace: string, draft: Draft | null): void {
  keepIn(drafts, workspace, draft)
}

/** The unsaved changes of a link. */
export interface Edit {
  draft: Draft
  /** The link as it was when the changes began. */
  base: Link
}

/** Like {@link drafts}, by the link's id. */
const edits = new Map<string, Edit>()

/** Changes that were left without saving; null: none. */
export function keptEdit(id: string): Edit | null {
  return edits.get(id) ?? null
}

/** Keeps changes; null deletes them. */
export function keepEdit(id: string, edit: Edit | null): void {
  keepIn(edits, id, edit)
}

function keepIn<T>(kept: Map<string, T>, key: string, value: T | null): void {
  if (value === null) kept.delete(key)
  else kept.set(key, value)
}
