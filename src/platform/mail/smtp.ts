import type { Secret } from '../../lib/base/secret.ts'
import type { Deliver } from './mailer.ts'

const CONNECT_WITHIN_MS = 10_000
const ANSWER_WITHIN_MS = 20_000

/**
 * Delivers by SMTP (RFC 5321); TLS from the start with `smtps:`, else if the server offers it. A
 * password is sent to another machine only over TLS, unless `?requireTLS=false` is set.
 */
export function smtp({ url, from }: { url: Secret; from: string }): Deliver {
  return async (letter) => {
    // Loaded with the first message: most processes never send one.
    const transport = await transportTo(url)
    try {
      await transport.sendMail({
        ...letter,
        from,
        disableFileAccess: true,
        disableUrlAccess: true,
        // Suppresses out-of-office answers (RFC 3834).
        headers: { 'Auto-Submitted': 'auto-generated' },
      })
    } finally {
      transport.close()
    }
  }
}

/** Signs in at the mail server and disconnects. @throws the reason why messages can't be sent */
export async function tryOutSmtp(url: Secret): Promise<void> {
  const transport = await transportTo(url)
  try {
    await transport.verify()
  } finally {
    transport.close()
  }
}

async function transportTo(hidden: Secret) {
  const url = hidden.reveal()
  const { username, hostname } = new URL(url)
  const { createTransport } = await import('nodemailer')
  return createTransport({
    requireTLS: username !== '' && !/^(?:localhost|127\..+|\[::1\])$/i.test(hostname),
    // The URL's parameters override these.
    url,
    connectionTimeout: CONNECT_WITHIN_MS,
    greetingTimeout: CONNECT_WITHIN_MS,
    socketTimeout: ANSWER_WITHIN_MS,
  })
}
