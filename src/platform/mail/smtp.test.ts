import { afterEach, describe, expect, test } from 'bun:test'
import { silentLogger } from '../../lib/base/logger.ts'
import { Secret } from '../../lib/base/secret.ts'
import { LOCALES, translate } from '../../lib/i18n/index.ts'
import { createMailer } from './mailer.ts'
import { type Mail, writeMail } from './message.ts'
import { smtp } from './smtp.ts'
import { readable, type SmtpOptions, startSmtpServer } from './testing/smtp-server.ts'

type Server = Awaited<ReturnType<typeof startSmtpServer>>

let server: Server
afterEach(() => server.stop())

const LETTER = {
  to: 'bob@example.com',
  subject: 'Grüße',
  text: 'A text.\n',
  html: '<p>A text.</p>',
}
const USER = { name: 'slugline', password: 'p@ss word' }
const CREDENTIALS = 'slugline:p%40ss%20word@'

async function deliverTo(options: SmtpOptions, url: (port: number) => string) {
  server = await startSmtpServer(options)
  const deliver = smtp({ url: new Secret(url(server.port)), from: 'Slugline <links@example.com>' })
  return deliver(LETTER)
}

describe('a message', () => {
  test('is delivered by SMTP, with both parts and marked as auto-generated', async () => {
    await deliverTo({}, (port) => `smtp://127.0.0.1:${port}`)
    const [message] = server.delivered
    expect(message).toMatchObject({ from: 'links@example.com', to: ['bob@example.com'] })
    const data = readable(message?.data ?? '')
    for (const part of ['Auto-Submitted: auto-generated', 'text/plain', 'text/html', 'A text.']) {
      expect(data).toContain(part)
    }
    expect(message?.data).toContain('Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=')
  })

  test('is delivered after authentication, to this machine without TLS too', async () => {
    await deliverTo({ user: USER }, (port) => `smtp://${CREDENTIALS}127.0.0.1:${port}`)
    expect(server.delivered).toMatchObject([{ user: 'slugline', encrypted: false }])
  })

  test('is not delivered when authentication fails', async () => {
    const sending = deliverTo({ user: USER }, (port) => `smtp://slugline:wrong@127.0.0.1:${port}`)
    await expect(sending).rejects.toMatchObject({ code: 'EAUTH', responseCode: 535 })
    expect(server.delivered).toEqual([])
  })

  test('sends no password in the clear to another machine', async () => {
    // A name of this machine that isn't recognized as local.
    const sending = deliverTo({ user: USER }, (port) => `smtp://${CREDENTIALS}0.0.0.0:${port}`)
    await expect(sending).rejects.toThrow()
    expect(server.lines.at(-1)).toBe('STARTTLS')
    expect(server.lines.some((line) => line.startsWith('AUTH'))).toBe(false)
  })

  const SECURE: [SmtpOptions['tls'], string][] = [
    ['starttls', 'smtp'],
    ['implicit', 'smtps'],
  ]
  test.each(SECURE)(
    'is not delivered to a server that nobody vouches for: %s',
    async (tls, scheme) => {
      const sending = deliverTo({ tls }, (port) => `${scheme}://localhost:${port}`)
      await expect(sending).rejects.toThrow()
      expect(server.delivered).toEqual([])
      expect(server.lines.some((line) => line.startsWith('MAIL'))).toBe(false)
    },
  )

  test.each(SECURE)('is delivered over TLS: %s', async (tls, scheme) => {
    await deliverTo(
      { tls, user: USER },
      (port) => `${scheme}://${CREDENTIALS}localhost:${port}?tls.rejectUnauthorized=false`,
    )
    expect(server.delivered).toMatchObject([{ encrypted: true, user: 'slugline' }])
  })
})

describe('a server that refuses', () => {
  test('is retried, and the log doesn’t contain the recipient', async () => {
    server = await startSmtpServer({
      refusals: { answer: '451 4.7.1 bob@example.com comes later', times: 2 },
    })
    const logged: unknown[] = []
    const note = (...args: unknown[]) => void logged.push(args)
    const mailer = createMailer({
      deliver: smtp({
        url: new Secret(`smtp://127.0.0.1:${server.port}`),
        from: 'links@example.com',
      }),
      baseUrl: 'https://s.example',
      logger: { ...silentLogger, warn: note, error: note },
      retryAfterMs: [1, 1],
    })
    mailer.send({
      kind: 'reset',
      to: LETTER.to,
      locale: 'en',
      url: 'https://s.example/',
      params: {},
    })
    await server.received(LETTER.to)
    await mailer.close()
    expect(logged).toHaveLength(2)
    expect(JSON.stringify(logged)).toContain('451')
    expect(JSON.stringify(logged)).not.toContain('bob')
  })
})

describe('what is written', () => {
  const KINDS: Mail['kind'][] = ['reset', 'verify', 'invitation', 'exists', 'password_changed']

  test('exists in every language, each text different', () => {
    for (const kind of KINDS) {
      const texts = LOCALES.map((locale) => {
        const inviter = 'Ada (ada@example.com)'
        const params = {
          email: 'bob@example.com',
          workspace: 'Acme',
          inviter,
          role: 'admin' as const,
        }
        const url = 'https://s.example/app/x?token=1&a=b'
        const mail = { kind, to: 'bob@example.com', locale, url, expiresAt: 0, params }
        const letter = writeMail(mail, 'https://s.example')
        expect(letter.text).toContain(url)
        expect(letter.html).toContain('href="https://s.example/app/x?token=1&amp;a=b"')
        expect(letter.html).not.toMatch(/<(?:img|link|script)|url\(/)
        // A changed password must not be ignored.
        const ignore = translate(locale, 'mail.ignore')
        expect(letter.text.includes(ignore)).toBe(kind !== 'password_changed')
        expect(letter.text).not.toContain('…')
        if (kind === 'invitation') expect(letter.text).toContain(inviter)
        return letter.text
      })
      expect(new Set(texts).size).toBe(LOCALES.length)
    }
  })

  test('keeps addresses in their own direction in a right-to-left text', () => {
    const to = '12@example.com'
    const mail = { kind: 'reset', to, locale: 'ar', url: 'https://1pt.co/', params: { email: to } }
    const { text } = writeMail(mail as Mail, 'https://1pt.co')
    expect(text).toContain('\u206812@example.com\u2069')
    expect(text).toContain('\u20681pt.co\u2069')
  })

  test('escapes a workspace’s name in headers and markup', async () => {
    server = await startSmtpServer()
    const workspace = 'Acme\r\nBcc: eve@example.com\u2028<img src=x onerror=alert(1)>'
    const mail = {
      kind: 'invitation' as const,
      to: 'bob@example.com',
      locale: 'en' as const,
      url: 'https://s.example/',
      params: { email: 'bob@example.com', workspace, inviter: 'Ada', role: 'member' as const },
    }
    const letter = writeMail(mail, 'https://s.example')
    expect(letter.html).not.toContain('<img')
    const deliver = smtp({
      url: new Secret(`smtp://127.0.0.1:${server.port}`),
      from: 'links@example.com',
    })
    await deliver(letter)
    expect(server.delivered[0]?.to).toEqual(['bob@example.com'])
    const [headers = ''] = server.delivered[0]?.data.split('\r\n\r\n') ?? []
    expect(headers).not.toMatch(/^Bcc:/im)
  })
})
