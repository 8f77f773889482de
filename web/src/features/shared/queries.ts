import { queryOptions } from '@tanstack/react-query'
import { request, type Schemas, setApiTarget } from '../../api/client.ts'
import { ApiError } from '../../api/errors.ts'
import type { Listed } from '../statistics/filters.ts'

/** The description of a share. */
export type About = Omit<Schemas['SharedAbout'], 'dimensions'> & { dimensions: Listed[] }

/** The branding of a domain's pages. */
export type Brand = NonNullable<NonNullable<About['link']>['brand']>

/** The path of the page, below which its data are. */
const BASE = location.pathname.replace(/\/$/, '')

/** Directs requests to the share, with the access granted by an entered password. */
export function enterShare(): void {
  setApiTarget(BASE, kept())
}

/** A frame in another site may have no storage: then the password is asked for again. */
function kept(): string | null {
  try {
    return sessionStorage.getItem(BASE)
  } catch {
    return null
  }
}

/** @throws ApiError with SHARE_PROTECTED: it is wrong */
export async function unlock(password: string): Promise<void> {
  const { access } = await request<{ access: string }>('POST', '/password', {
    body: { password },
  })
  setApiTarget(BASE, access)
  try {
    sessionStorage.setItem(BASE, access)
  } catch {
    // See above.
  }
}

export const isProtected = (error: unknown) =>
  error instanceof ApiError && error.code === 'SHARE_PROTECTED'

export const aboutQuery = queryOptions({
  queryKey: ['about'],
  // Each request counts as a view.
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: ({ signal }) => request<About>('GET', '/about', { signal }),
})
