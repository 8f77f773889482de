import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/** The provider's responses, right or wrong. */
export interface Answers {
  /** Of the ID token; undefined omits a claim. */
  claims: Record<string, unknown>
  /** Of the userinfo endpoint; null: there is none. */
  userInfo: Record<string, unknown> | null
  /** Replaces the token's signature, or the whole token. */
  token: (signed: string) => string | undefined
  /** Fields of the description that differ. */
  description: Record<string, unknown>
}

/** The parameters that a browser was sent to the provider with. */
interface Grant {
  challenge: string
  nonce: string
  redirectUri: string
}

/**
 * An OpenID Connect provider: description, keys, codes with PKCE, ID tokens. It enforces the
 * protocol: a wrong verifier, secret or redirect URL gets no token.
 */
export function startProvider() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const grants = new Map<string, Grant>()
  const answers: Answers = {
    claims: {},
    userInfo: null,
    token: (signed) => signed,
    description: {},
  }
  /** Codes that were exchanged for tokens. */
  const exchanged: string[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request): Promise<Response> {
      const { pathname } = new URL(request.url)
      if (pathname === '/.well-known/openid-configuration') return Response.json(description())
      if (pathname === '/keys') {
        const jwk = publicKey.export({ format: 'jwk' })
        return Response.json({ keys: [{ ...jwk, kid: 'k1', alg: 'ES256', use: 'sig' }] })
      }
      if (pathname === '/token') return exchange(request)
      if (pathname === '/userinfo' && answers.userInfo !== null) {
        const ok = request.headers.get('authorization') === 'Bearer the access token'
        return ok ? Response.json(answers.userInfo) : new Response(null, { status: 401 })
      }
      return new Response(null, { status: 404 })
    },
  })
  const issuer: string = `http://127.0.0.1:${server.port}`

  function description(): Record<string, unknown> {
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      ...(answers.userInfo !== null && { userinfo_endpoint: `${issuer}/userinfo` }),
      id_token_signing_alg_values_supported: ['ES256'],
      ...answers.description,
    }
  }

  async function exchange(request: Request): Promise<Response> {
    const form = new URLSearchParams(await request.text())
    const [id, secret] = credentialsOf(request, form)
    const code = form.get('code') ?? ''
    const grant = grants.get(code)
    grants.delete(code)
    const verifier = createHash('sha256').update(form.get('code_verifier') ?? '')
    const rightful =
      grant !== undefined &&
      id === 'slugline' &&
      secret === 'the client’s secret' &&
      form.get('redirect_uri') === grant.redirectUri &&
      verifier.digest('base64url') === grant.challenge
    if (!rightful) return Response.json({ error: 'invalid_grant' }, { status: 400 })
    exchanged.push(code)
    const now = Math.floor(Date.now() / 1000)
    const claims = { iss: issuer, aud: 'slugline', iat: now, exp: now + 300, nonce: grant.nonce }
    const id_token = answers.token(jwt({ ...claims, ...answers.claims }, privateKey))
    return Response.json({
      access_token: 'the access token',
      token_type: 'Bearer',
      ...(id_token !== undefined && { id_token }),
    })
  }

  return {
    issuer,
    answers,
    exchanged,
    /** The browser's part: the person agrees, and is sent back with a code. */
    authorize(address: string): { path: string; asked: URLSearchParams } {
      const { searchParams: asked } = new URL(address)
      const code = randomBytes(16).toString('base64url')
      const redirectUri = asked.get('redirect_uri') ?? ''
      grants.set(code, {
        redirectUri,
        challenge: asked.get('code_challenge') ?? '',
        nonce: asked.get('nonce') ?? '',
      })
      const back = new URL(redirectUri)
      back.searchParams.set('code', code)
      back.searchParams.set('state', asked.get('state') ?? '')
      return { path: back.pathname + back.search, asked }
    },
    /** Signs with a key that isn't the provider's. */
    forge(token: string): string {
      const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
      return jwt(
        JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()),
        stranger,
      )
    },
    stop: () => server.stop(true),
  }
}

function credentialsOf({ headers }: Request, form: URLSearchParams): (string | null)[] {
  const basic = /^Basic (.+)$/.exec(headers.get('authorization') ?? '')?.[1]
  if (basic === undefined) return [form.get('client_id'), form.get('client_secret')]
  const pair = Buffer.from(basic, 'base64').toString().split(':')
  return pair.map((part) => decodeURIComponent(part.replaceAll('+', ' ')))
}

function jwt(claims: object, key: KeyObject): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const text = `${part({ alg: 'ES256', kid: 'k1', typ: 'JWT' })}.${part(claims)}`
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' })
  return `${text}.${signature.toString('base64url')}`
}
