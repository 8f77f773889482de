import { AUTH_PATH } from './site.ts'

/** The callback URL of single sign-on. */
export const OIDC_CALLBACK = `${AUTH_PATH}/callback/oidc`

/**
 * Errors of the callback redirect to the sign-in page, which explains them, because the client is a
 * person with a browser. The code is passed in lower case, like those of better-auth.
 */
export async function backToSignIn(
  request: Request,
  answered: Response | Promise<Response>,
): Promise<Response> {
  const answer = await answered
  if (answer.status < 400 || (request.method !== 'GET' && request.method !== 'HEAD')) return answer
  const headers = new Headers(answer.headers)
  for (const name of ['content-type', 'content-length', 'content-language', 'vary']) {
    headers.delete(name)
  }
  const code = (await codeOf(answer)) ?? 'internal_error'
  headers.set('Location', `/app/sign-in?error=${code.toLowerCase()}`)
  return new Response(null, { status: 302, headers })
}

async function codeOf(answer: Response): Promise<string | undefined> {
  const body = (await answer.json().catch(() => null)) as {
    error?: { code?: string }
    code?: string
  } | null
  return body?.error?.code ?? body?.code
}
