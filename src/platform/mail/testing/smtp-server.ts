import { createServer, type Socket } from 'node:net'
import { createServer as createTlsServer, TLSSocket } from 'node:tls'
import { makeCertificate } from './certificate.ts'

/** What the server offers and requires. */
export interface SmtpOptions {
  /** `implicit`: TLS from the start. `starttls`: offered after the greeting. */
  tls?: 'none' | 'starttls' | 'implicit' | undefined
  /** Who may send; absent: anyone. */
  user?: { name: string; password: string }
  /** Answers `RCPT TO` with this instead of 250, this many times. */
  refusals?: { answer: string; times: number }
}

/** A message that was delivered. */
interface Delivered {
  from: string
  to: string[]
  /** Headers and body, as they came. */
  data: string
  /** Whether it came over TLS, and who authenticated. */
  encrypted: boolean
  user: string | null
}

/** A minimal mail server (RFC 5321, 3207, 4954) on a free port. */
export async function startSmtpServer(options: SmtpOptions = {}) {
  const { tls = 'none', user, refusals = { answer: '', times: 0 } } = options
  const key = makeCertificate()
  const delivered: Delivered[] = []
  /** Every line that clients sent, before and after TLS. */
  const lines: string[] = []
  const sockets = new Set<Socket>()
  let wake = () => {}

  function serve(raw: Socket, encrypted: boolean): void {
    let socket = raw
    let message: Delivered = begun(encrypted)
    let who: string | null = null
    let inData = false
    let buffer = ''
    const say = (text: string) => void socket.write(`${text}\r\n`)

    function attach(to: Socket): void {
      socket = to
      to.on('data', (chunk) => read(chunk.toString('latin1')))
      to.on('error', () => {})
    }

    function read(text: string): void {
      buffer += text
      for (;;) {
        const end = buffer.indexOf(inData ? '\r\n.\r\n' : '\r\n')
        if (end < 0) return
        const line = buffer.slice(0, end)
        buffer = buffer.slice(end + (inData ? 5 : 2))
        if (inData) received(line)
        else {
          lines.push(line)
          if (!answer(line)) return
        }
      }
    }

    function received(data: string): void {
      inData = false
      const text = Buffer.from(data.replaceAll('\r\n..', '\r\n.'), 'latin1').toString()
      delivered.push({ ...message, data: text, user: who })
      message = begun(message.encrypted)
      say('250 2.0.0 Ok')
      wake()
    }

    /** False: TLS follows. */
    function answer(line: string): boolean {
      const command = line.slice(0, 4).toUpperCase()
      if (command === 'EHLO') {
        const extensions = ['8BITMIME']
        if (tls === 'starttls' && !message.encrypted) extensions.push('STARTTLS')
        if (user !== undefined) extensions.push('AUTH PLAIN')
        say(['250-mail.test', ...extensions.map((name) => `250-${name}`)].join('\r\n'))
        say('250 SMTPUTF8')
      } else if (command === 'STAR') {
        if (tls !== 'starttls') say('502 5.5.1 No')
        else {
          say('220 2.0.0 Go on')
          socket.removeAllListeners('data')
          const secure = new TLSSocket(socket, { isServer: true, ...key })
          message.encrypted = true
          attach(secure)
          return false
        }
      } else if (command === 'AUTH') {
        const [, name = '', password] = Buffer.from(line.slice(11), 'base64').toString().split('\0')
        const right = name === user?.name && password === user?.password
        if (right) who = name
        say(right ? '235 2.7.0 Welcome' : '535 5.7.8 No')
      } else if (command === 'MAIL') {
        message.from = addressOf(line)
        say(user === undefined || who !== null ? '250 2.1.0 Ok' : '530 5.7.0 Sign in first')
      } else if (command === 'RCPT') {
        if (refusals.times > 0) {
          refusals.times--
          say(refusals.answer)
        } else {
          message.to.push(addressOf(line))
          say('250 2.1.5 Ok')
        }
      } else if (command === 'DATA') {
        inData = true
        say('354 Go on')
      } else if (command === 'QUIT') {
        say('221 2.0.0 Bye')
        socket.end()
      } else say('250 2.0.0 Ok')
      return true
    }

    attach(raw)
    say('220 mail.test ESMTP')
  }

  const onConnection = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    serve(socket, tls === 'implicit')
  }
  const server =
    tls === 'implicit' ? createTlsServer(key, onConnection) : createServer(onConnection)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }

  return {
    port,
    /** In PEM, for clients to trust. */
    certificate: key.cert,
    delivered,
    lines,
    /** The newest message to an address, once there are `count`. */
    async received(to: string, count = 1): Promise<Delivered> {
      for (;;) {
        const all = delivered.filter((message) => message.to.includes(to))
        if (all.length >= count) return all.at(-1) as Delivered
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
    async stop(): Promise<void> {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function begun(encrypted: boolean): Delivered {
  return { from: '', to: [], data: '', encrypted, user: null }
}

function addressOf(line: string): string {
  return /<([^>]*)>/.exec(line)?.[1] ?? ''
}

/** A body as the reader sees it: `quoted-printable` decoded (RFC 2045 §6.7). */
export function readable(data: string): string {
  const bytes = data
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}
