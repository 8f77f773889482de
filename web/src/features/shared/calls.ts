import { queryOptions } from '@tanstack/react-query'
import { request, type Schemas, setApiTarget } from '../../api/client.ts'
import { ApiError } from '../../api/errors.ts'
import type { Dimension } from '../statistics/filters.ts'

/** What a share is about. */
export type About = Omit<Schemas['SharedAbout'], 'dimensions'> & { dimensions: Dimension[] }

/** How pages of a domain look. */
export type Brand = NonNullable<NonNullable<About['link']>['brand']>

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
