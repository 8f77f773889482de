import { sessionQuery } from '../../../api/session.ts'
import { queryClient } from '../../../app/queries.ts'
import type { Link } from '../queries.ts'
import { type Draft, emptyDraft } from './draft.ts'

/** Unsent drafts by workspace. */
const drafts = new Map<string, Draft>()
/** The drafts that a person has left without sending, not those that the next form is opened with. */
const left = new WeakSet<Draft>()

/** The draft to open the form with; null: none. */
export function keptDraft(workspace: string): Draft | null {
  takeStored()
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
  takeStored()
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

/** Forgets all drafts: when the person signs out. */
export function forgetDrafts(): void {
  drafts.clear()
  edits.clear()
}

/** Where drafts are while the page is left, for example to sign in again: in this tab only. */
const STORE = 'slugline_drafts'

interface Stored {
  /** Whose drafts they are. */
  user: string
  drafts: [string, Draft][]
  edits: [string, Edit][]
}

const userId = () => queryClient.getQueryData(sessionQuery.queryKey)?.user?.id
/** Passwords are never stored. */
const withoutSecrets = (draft: Draft): Draft => ({ ...draft, password: null })

addEventListener('pagehide', () => {
  const user = userId()
  if (user === undefined) return
  if (drafts.size + edits.size === 0) return sessionStorage.removeItem(STORE)
  const stored: Stored = {
    user,
    drafts: [...drafts].map(([key, draft]) => [key, withoutSecrets(draft)]),
    edits: [...edits].map(([id, edit]) => [id, { ...edit, draft: withoutSecrets(edit.draft) }]),
  }
  sessionStorage.setItem(STORE, JSON.stringify(stored))
})

/** Null: another release has stored it in a form that isn't known. */
function storedIn(text: string): Stored | null {
  try {
    const { user, drafts, edits } = JSON.parse(text) as Stored
    return { user, drafts: [...drafts], edits: [...edits] }
  } catch {
    return null
  }
}

/** Takes back what the page had when it was left, if it is the same person's. */
function takeStored(): void {
  const text = sessionStorage.getItem(STORE)
  const user = userId()
  if (text === null || user === undefined) return
  sessionStorage.removeItem(STORE)
  const stored = storedIn(text)
  if (stored?.user !== user) return
  // An earlier release may have stored it, without newer fields.
  const whole = (draft: Draft) => ({ ...emptyDraft(draft.domain), ...draft })
  for (const [workspace, stale] of stored.drafts) {
    if (drafts.has(workspace)) continue
    const draft = whole(stale)
    drafts.set(workspace, draft)
    left.add(draft)
  }
  for (const [id, edit] of stored.edits) {
    if (!edits.has(id)) edits.set(id, { ...edit, draft: whole(edit.draft) })
  }
}
