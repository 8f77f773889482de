import type { App } from '../../../server/app.ts'

/** A response, with its body read. */
export interface Seen {
  status: number
  headers: Headers
  text: string
  /** Parsed; null if there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read any body.
  body: any
  /** The code of the error, if it is one. */
  code: string | undefined
  /** The codes of the failing fields, by field. */
  details: Record<string, string>
}

/** The rest of a request besides path and body. */
interface Extra {
  headers?: Record<string, string | null>
  workspace?: string | null
}

/** A browser as the server sees it: it keeps cookies, and sends the origin of requests. */
export class Browser {
  readonly cookies = new Map<string, string>()
  /** The workspace of requests, if any. */
  workspace: string | null = null

  constructor(
    readonly baseUrl: string,
    readonly app: Pick<App, 'fetch'>,
    readonly address: string,
  ) {}

  get(path: string, extra?: Extra): Promise<Seen> {
    return this.send('GET', path, undefined, extra)
  }

  post(path: string, body: object = {}, extra?: Extra): Promise<Seen> {
    return this.send('POST', path, body, extra)
  }

  async send(method: string, path: string, body?: object, extra: Extra = {}): Promise<Seen> {
    const headers = new Headers({ 'User-Agent': AGENT, 'Accept-Language': 'en' })
    if (method !== 'GET') headers.set('Origin', this.baseUrl)
    if (body !== undefined) headers.set('Content-Type', 'application/json')
    const workspace = extra.workspace === undefined ? this.workspace : extra.workspace
    if (workspace !== null) headers.set('Slugline-Workspace', workspace)
    const cookies = [...this.cookies].map(([name, value]) => `${name}=${value}`)
    if (cookies.length > 0) headers.set('Cookie', cookies.join('; '))
    for (const [name, value] of Object.entries(extra.headers ?? {})) {
      if (value === null) headers.delete(name)
      else headers.set(name, value)
    }
    const request = new Request(this.baseUrl + path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const response = await this.app.fetch(request, { peer: this.address })
    for (const cookie of response.headers.getSetCookie()) this.#keep(cookie)
    const text = await response.text()
    const type = response.headers.get('content-type') ?? ''
    const isJson = text !== '' && /^application\/(problem\+)?json/.test(type)
    const parsed = isJson ? JSON.parse(text) : null
    const { code, details = [] } = parsed?.error ?? {}
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: parsed,
      code,
      details: Object.fromEntries(
        details.map((detail: { field: string; code: string }) => [detail.field, detail.code]),
      ),
    }
  }

  /** Signs in, and uses the first workspace from then on. */
  async signIn(email: string, password: string): Promise<Seen> {
    const seen = await this.post('/app/api/auth/sign-in/email', { email, password })
    if (seen.status === 200 && seen.body.twoFactorRedirect === undefined) await this.enter()
    return seen
  }

  /** Uses the first of the person's workspaces from then on. */
  async enter(): Promise<void> {
    const { body } = await this.get('/app/api/v1/session')
    this.workspace = body.workspaces[0]?.id ?? null
  }

  /** The person that the server identifies. */
  async who(): Promise<string | null> {
    return (await this.get('/app/api/v1/session')).body.user?.email ?? null
  }

  #keep(cookie: string): void {
    const [pair = '', ...attributes] = cookie.split('; ')
    const at = pair.indexOf('=')
    const name = pair.slice(0, at)
    if (attributes.includes('Max-Age=0')) this.cookies.delete(name)
    else this.cookies.set(name, pair.slice(at + 1))
  }
}

const AGENT = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0'
