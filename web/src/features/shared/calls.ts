import { queryOptions } from '@tanstack/react-query'
import { request, setApiTarget } from '../../api/client.ts'
import { ApiError } from '../../api/errors.ts'
import type { Dimension } from '../statistics/filters.ts'

/** How pages of a domain look. */
export interface Brand {
  name: string | null
  logo: string | null
  colour: string | null
}

/** What a share is about. */
export interface About {
  name: string | null
  kind: 'link' | 'tag' | 'folder' | 'workspace'
  dimensions: Dimension[]
  /** When its first click can have been. */
  since: string
  link: {
    short_url: string
    title: string | null
    /** How pages of its domain look. */
    brand: Brand | null
    destination_url?: string
  } | null
}

/** The page's own address: what is asked for is below it. */
const BASE = location.pathname.replace(/\/$/, '')

/** Has requests go to the share, with what was kept of an entered password. */
export function enterShare(): void {
  setApiTarget(BASE, kept())
}

/** A frame of another site may have no storage: then the password is asked for again. */
function kept(): string | null {
  try {
    return sessionStorage.getItem(BASE)
  } catch {
    return null
  }
}

/** @throws ApiError with SHARE_PROTECTED: it is another */
export async function unlock(password: string): Promise<void> {
  const { data } = await request<{ data: { access: string } }>('POST', '/password', {
    body: { password },
  })
  setApiTarget(BASE, data.access)
  try {
    sessionStorage.setItem(BASE, data.access)
  } catch {
    // See above.
  }
}

export const isProtected = (error: unknown) =>
  error instanceof ApiError && error.code === 'SHARE_PROTECTED'

export const aboutQuery = queryOptions({
  queryKey: ['about'],
  // Each time counts as a view.
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async ({ signal }) => (await request<{ data: About }>('GET', '/about', { signal })).data,
})
