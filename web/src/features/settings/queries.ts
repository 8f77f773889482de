import { queryOptions } from '@tanstack/react-query'
import { api, ok, request, type Schemas } from '../../api/client.ts'
import { workspaceKey } from '../../api/workspace-key.ts'
import type { Locale } from '../../i18n/locales.ts'
import { base64Of } from '../../lib/base64.ts'

export type Workspace = Schemas['Workspace']

export const workspaceQuery = (workspace: string) =>
  queryOptions({
    queryKey: workspaceKey(workspace, 'workspace'),
    queryFn: ({ signal }) => ok(api.GET('/api/v1/workspace', { signal })),
  })

export function changeWorkspace(body: {
  name?: string
  language?: Locale | null
  require_two_factor?: boolean
}): Promise<Workspace> {
  return ok(api.PATCH('/api/v1/workspace', { body }))
}

/** Deletes the workspace; takes its name as a confirmation. */
export async function deleteWorkspace(name: string): Promise<void> {
  await ok(api.DELETE('/api/v1/workspace', { body: { confirm_name: name } }))
}

export function changeAccount(body: { name?: string; language?: Locale | null }): Promise<unknown> {
  return ok(api.PATCH('/api/v1/account', { body }))
}

/** @throws ApiError */
export async function setPicture(file: Blob): Promise<unknown> {
  return ok(api.PUT('/api/v1/account/picture', { body: { image: await base64Of(file) } }))
}

/** @throws ApiError */
export function deletePicture(): Promise<unknown> {
  return ok(api.DELETE('/api/v1/account/picture'))
}

/** Deletes the account; takes its address as a confirmation. */
export async function deleteAccount(email: string): Promise<void> {
  await ok(api.DELETE('/api/v1/account', { body: { confirm_email: email } }))
}

export async function requestEmailChange(email: string): Promise<void> {
  await ok(api.POST('/api/v1/account/email', { body: { new_email: email } }))
}

/** The last 50 events of the account, the newest first. */
export const eventsQuery = queryOptions({
  queryKey: ['account-events'],
  queryFn: async ({ signal }) =>
    (await ok(api.GET('/api/v1/account/events', { params: { query: { limit: 50 } }, signal })))
      .data,
})

export function changePassword(
  currentPassword: string,
  newPassword: string,
  revokeOtherSessions: boolean,
): Promise<unknown> {
  return request('POST', '/api/auth/change-password', {
    body: { currentPassword, newPassword, revokeOtherSessions },
  })
}

/** A passkey in better-auth's list. */
export interface Passkey {
  id: string
  name?: string | null
  createdAt: string | null
}

export const passkeysQuery = queryOptions({
  queryKey: ['passkeys'],
  queryFn: ({ signal }) =>
    request<Passkey[]>('GET', '/api/auth/passkey/list-user-passkeys', { signal }),
})

export function removePasskey(id: string): Promise<unknown> {
  return request('POST', '/api/auth/passkey/delete-passkey', { body: { id } })
}

/** A session of the person. */
export interface SignedInSession {
  id: string
  token: string
  createdAt: string
  updatedAt: string
  expiresAt: string
  /** Coarse: `Firefox, Windows`. */
  userAgent: string | null
  current: boolean
}

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: async ({ signal }) => {
    const all = await request<SignedInSession[]>('GET', '/api/auth/list-sessions', { signal })
    return all.sort(
      (a, b) => Number(b.current) - Number(a.current) || (a.updatedAt < b.updatedAt ? 1 : -1),
    )
  },
})

export function revokeSession(token: string): Promise<unknown> {
  return request('POST', '/api/auth/revoke-session', { body: { token } })
}

export function revokeOtherSessions(): Promise<unknown> {
  return request('POST', '/api/auth/revoke-other-sessions', { body: {} })
}

/** The app's secret and the recovery codes. Confirmed by a first code. */
export function beginTwoFactor(
  password: string,
): Promise<{ totpURI: string; backupCodes: string[] }> {
  return request('POST', '/api/auth/two-factor/enable', { body: { password } })
}

export function confirmTwoFactor(code: string): Promise<unknown> {
  return request('POST', '/api/auth/two-factor/verify-totp', { body: { code } })
}

export function endTwoFactor(password: string): Promise<unknown> {
  return request('POST', '/api/auth/two-factor/disable', { body: { password } })
}

export async function newRecoveryCodes(password: string): Promise<string[]> {
  const { backupCodes } = await request<{ backupCodes: string[] }>(
    'POST',
    '/api/auth/two-factor/generate-backup-codes',
    { body: { password } },
  )
  return backupCodes
}

/** Networks whose visits a workspace doesn't count. */
export type ExcludedNetworks = Schemas['ExcludedNetworks']

export const excludedNetworksQuery = (workspace: string) =>
  queryOptions({
    queryKey: workspaceKey(workspace, 'excluded-networks'),
    queryFn: ({ signal }) => ok(api.GET('/api/v1/workspace/excluded-networks', { signal })),
  })

/** @throws ApiError */
export function setExcludedNetworks(networks: string[]): Promise<ExcludedNetworks> {
  return ok(api.PUT('/api/v1/workspace/excluded-networks', { body: { networks } }))
}
