import { useState } from 'react'

/**
 * The token of the followed link. Links have it in the fragment, which browsers don't send. An
 * invitation's is kept for this tab, because a sign-in may come in between.
 */
export function useLinkToken(): string | undefined {
  const [token] = useState(tokenOfAddress)
  return token
}

const INVITATION = 'slugline.invitation'

function tokenOfAddress(): string | undefined {
  const { hash, pathname } = window.location
  const token = new URLSearchParams(hash.slice(1)).get('token') || undefined
  if (!pathname.endsWith('/invitation')) return token
  if (token !== undefined) sessionStorage.setItem(INVITATION, token)
  return token ?? sessionStorage.getItem(INVITATION) ?? undefined
}
