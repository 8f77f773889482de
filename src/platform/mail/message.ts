import {
  direction,
  formatDateTime,
  type Locale,
  type MessageKey,
  type MessageParams,
  translate,
} from '../../lib/i18n/index.ts'

type NoticeKey<K> = K extends `mail.notice.${infer N}` ? N : never
/** The event that a message of the kind `notice` reports. */
export type Notice = Exclude<NoticeKey<MessageKey>, 'subject' | 'button'>

/** A message to be written in the reader's language. */
export interface Mail {
  kind:
    | 'reset'
    | 'verify'
    | 'invitation'
    | 'exists'
    | 'password_changed'
    | 'notice'
    | 'webhook_disabled'
  /** With the kind `notice`. */
  notice?: Notice
  to: string
  locale: Locale
  /** The URL of its only link; absent: it has none. */
  url?: string
  /** When the link expires, in milliseconds since the epoch; absent: not mentioned. */
  expiresAt?: number
  /** What it is about; `inviter` and `role` are an invitation's, `endpoint` is a webhook's host. */
  params: {
    email?: string
    workspace?: string
    endpoint?: string
    inviter?: string
    role?: 'owner' | 'admin' | 'member' | 'viewer'
  }
}

/** A rendered message. */
export interface RenderedMail {
  to: string
  subject: string
  text: string
  html: string
}

const BODY = 'font:16px/1.5 system-ui,sans-serif;max-width:32em;margin:0 auto;padding:32px 16px'
/** The accent of `brand.css`: mail programs know neither variables nor `oklch`. */
const BUTTON =
  'display:inline-block;padding:10px 18px;border-radius:6px;background:#4556ce;color:#fff;font-weight:600;text-decoration:none'
const NOTE = 'font-size:14px;overflow-wrap:anywhere'

/** Renders a message as plain text and as HTML without external resources. */
export function writeMail(mail: Mail, baseUrl: string): RenderedMail {
  const { kind, notice, locale, url, to } = mail
  const { role = 'member', ...rest } = mail.params
  const values = { ...rest, host: new URL(baseUrl).host }
  // The role is a case of the message, not shown as it is.
  const params: MessageParams = {
    ...(direction(locale) === 'rtl' ? isolated(values) : values),
    role,
  }
  const subject = oneLine(translate(locale, `mail.${kind}.subject`, params))
  const text =
    kind === 'notice' && notice !== undefined
      ? translate(locale, `mail.notice.${notice}`, params)
      : translate(locale, `mail.${kind as Exclude<Mail['kind'], 'notice'>}.text`, params)
  // Ignoring a report of what has happened would be wrong.
  const isReport = ['notice', 'password_changed', 'webhook_disabled'].includes(kind)
  const notes = isReport ? [] : [translate(locale, 'mail.ignore')]
  if (mail.expiresAt !== undefined) {
    const date = formatDateTime(locale, new Date(mail.expiresAt))
    notes.unshift(translate(locale, 'mail.expires', { date }))
  }
  return {
    to,
    subject,
    text: `${[text, ...(url === undefined ? [] : [url]), ...notes].join('\n\n')}\n`,
    html: [
      '<!doctype html>',
      `<html lang="${locale}" dir="${direction(locale)}"><meta charset="utf-8">`,
      `<title>${Bun.escapeHTML(subject)}</title>`,
      '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">',
      `<body style="${BODY}">`,
      '<p style="font-size:18px;font-weight:700">Slugline</p>',
      `<p>${Bun.escapeHTML(text)}</p>`,
      ...(url === undefined ? [] : linkTo(url, translate(locale, `mail.${kind}.button`))),
      ...notes.map((note) => `<p style="${NOTE}">${Bun.escapeHTML(note)}</p>`),
      '</body></html>',
      '',
    ].join('\n'),
  }
}

/** A button, and the same URL to copy. */
function linkTo(url: string, label: string): string[] {
  const address = Bun.escapeHTML(url)
  return [
    `<p style="margin:24px 0"><a href="${address}" style="${BUTTON}">${Bun.escapeHTML(label)}</a></p>`,
    `<p style="${NOTE}"><bdi>${address}</bdi></p>`,
  ]
}

/** Values that keep their own direction in a right-to-left text: "1pt.co" isn't shown as "pt.co1". */
function isolated(values: Readonly<Record<string, string>>): MessageParams {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, `\u2068${value}\u2069`]),
  )
}

/** A workspace's name is part of the subject: it must not inject a header. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
}
