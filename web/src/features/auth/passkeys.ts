import { request } from '../../api/client.ts'
import { ApiError } from '../../api/errors.ts'

/** Whether passkeys work here: the browser has them, and the page is on HTTPS or localhost. */
export function passkeysWork(): boolean {
  return window.isSecureContext && typeof window.PublicKeyCredential === 'function'
}

/** Signs in with a passkey that the person chooses. @throws ApiError */
export async function signInWithPasskey(): Promise<void> {
  const { startAuthentication } = await import('@simplewebauthn/browser')
  const optionsJSON = await request<Parameters<typeof startAuthentication>[0]['optionsJSON']>(
    'GET',
    '/api/auth/passkey/generate-authenticate-options',
  )
  const { clientExtensionResults: _, ...response } = await cancellable(
    startAuthentication({ optionsJSON }),
  )
  await request('POST', '/api/auth/passkey/verify-authentication', { body: { response } })
}

/** Creates a passkey for the signed-in person. @throws ApiError */
export async function addPasskey(name: string): Promise<void> {
  const { startRegistration } = await import('@simplewebauthn/browser')
  const optionsJSON = await request<Parameters<typeof startRegistration>[0]['optionsJSON']>(
    'GET',
    '/api/auth/passkey/generate-register-options',
    { query: { name } },
  )
  const { clientExtensionResults: _, ...response } = await cancellable(
    startRegistration({ optionsJSON }),
  )
  await request('POST', '/api/auth/passkey/verify-registration', { body: { response, name } })
}

/** Treats every failure of the browser's dialog as a passkey that wasn't used. */
async function cancellable<T>(ceremony: Promise<T>): Promise<T> {
  try {
    return await ceremony
  } catch (cause) {
    throw Object.assign(new ApiError(0, 'PASSKEY_CANCELLED', ''), { cause })
  }
}
