import type { Hidden } from '../base/hidden.ts'
import type { Deliver } from './mailer.ts'

const CONNECT_WITHIN_MS = 10_000
const ANSWER_WITHIN_MS = 20_000

/** Delivers by SMTP (RFC 5321); TLS from the start with `smtps:`, else as the server offers it. */
export function smtp({ url, from }: { url: Hidden; from: string }): Deliver {
  return async (letter) => {
    // Loaded with the first message: most processes never send one.
    const { createTransport } = await import('nodemailer')
    const transport = createTransport({
      url: url.reveal(),
      connectionTimeout: CONNECT_WITHIN_MS,
      greetingTimeout: CONNECT_WITHIN_MS,
      socketTimeout: ANSWER_WITHIN_MS,
    })
    try {
      await transport.sendMail({
        ...letter,
        from,
        disableFileAccess: true,
        disableUrlAccess: true,
        // Out-of-office answers and the like are not wanted (RFC 3834).
        headers: { 'Auto-Submitted': 'auto-generated' },
      })
    } finally {
      transport.close()
    }
  }
}
