import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { createContext, type ReactNode, use, useMemo } from 'react'
import { setApiWorkspace } from '../api/client.ts'
import {
  may,
  type Permission,
  type Session,
  type SessionUser,
  type SessionWorkspace,
  sessionQuery,
} from '../api/session.ts'
import { lastWorkspace, rememberWorkspace } from './preferences.ts'

/** The person and the current workspace. */
export interface Place {
  user: SessionUser
  workspace: SessionWorkspace
  workspaces: SessionWorkspace[]
  instance: Session['instance']
  /** Whether the person's role has a permission here. */
  may(permission: Permission): boolean
}

/** The workspace of this tab's requests. Asking the cookie each time takes milliseconds. */
let entered: string | null = null

/** The workspace named by the URL, else the last one, else the first. */
export function workspaceOf(session: Session, named: string | undefined): SessionWorkspace | null {
  const find = (id: string | undefined) => session.workspaces.find((one) => one.id === id)
  return find(named) ?? find(entered ?? lastWorkspace()) ?? session.workspaces[0] ?? null
}

/** Sets the workspace of all following requests. */
export function enterWorkspace(id: string | null): void {
  if (id === entered) return
  entered = id
  setApiWorkspace(id)
  if (id !== null) rememberWorkspace(id)
}

const PlaceContext = createContext<Place | null>(null)

export function PlaceProvider({
  session,
  workspace,
  children,
}: {
  session: Session
  workspace: SessionWorkspace
  children: ReactNode
}) {
  const place = useMemo((): Place | null => {
    const { user, workspaces, instance } = session
    if (user === null) return null
    const allowed = (permission: Permission) => may(workspace.role, permission)
    return { user, workspace, workspaces, instance, may: allowed }
  }, [session, workspace])
  return <PlaceContext value={place}>{children}</PlaceContext>
}

/** The person and the workspace. Only below the shell. */
export function usePlace(): Place {
  const place = use(PlaceContext)
  if (place === null) throw new Error('usePlace needs the shell above it')
  return place
}

/** The session, also without a signed-in person. */
export function useSession(): Session {
  return useSuspenseQuery(sessionQuery).data
}

/** Clears the cache and reloads the session: after signing in or out, and the like. */
export function useSessionChanged(): () => Promise<Session> {
  const client = useQueryClient()
  return async () => {
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' })
    return await client.fetchQuery({ ...sessionQuery, staleTime: 0 })
  }
}
