import {
  direction,
  formatDateTime,
  type Locale,
  type MessageKey,
  type MessageParams,
  translate,
} from '../i18n/index.ts'

type NoticeKey<K> = K extends `mail.notice.${infer N}` ? N : never
/** The event that a message of the kind `notice` reports. */
export type Notice = Exclude<NoticeKey<MessageKey>, 'subject' | 'button'>

/** A message to be written in the reader's language. */
export interface Mail {
  kind: 'reset' | 'verify' | 'invitation' | 'exists' | 'password_changed' | 'notice'
  /** With the kind `notice`. */
  notice?: Notice
  to: string
  locale: Locale
  /** The URL of its only link. */
  url: string
  /** When the link expires, in milliseconds since the epoch; absent: not mentioned. */
  expiresAt?: number
  /** What the message is about: the address, or the workspace. */
  params: { email?: string; workspace?: string }
}

/** A rendered message. */
export interface RenderedMail {
  to: string
  subject: string
  text: string
  html: string
}

/** Renders a message as plain text and as HTML without external resources. */
export function writeMail(mail: Mail, baseUrl: string): RenderedMail {
  const { kind, notice, locale, url, to } = mail
  const params: MessageParams = { ...mail.params, host: new URL(baseUrl).host }
  const subject = oneLine(translate(locale, `mail.${kind}.subject`, params))
  const text =
    kind === 'notice' && notice !== undefined
      ? translate(locale, `mail.notice.${notice}`, params)
      : translate(locale, `mail.${kind as Exclude<Mail['kind'], 'notice'>}.text`, params)
  const button = translate(locale, `mail.${kind}.button`)
  const notes = kind === 'notice' ? [] : [translate(locale, 'mail.ignore')]
  if (mail.expiresAt !== undefined) {
    const date = formatDateTime(locale, new Date(mail.expiresAt))
    notes.unshift(translate(locale, 'mail.expires', { date }))
  }
  return {
    to,
    subject,
    text: `${[text, url, ...notes].join('\n\n')}\n`,
    html: [
      '<!doctype html>',
      `<html lang="${locale}" dir="${direction(locale)}"><meta charset="utf-8">`,
      `<title>${escaped(subject)}</title>`,
      '<body style="font:16px/1.5 system-ui,sans-serif;max-width:32em;margin:2em auto;padding:0 1em">',
      `<p>${escaped(text)}</p>`,
      `<p><a href="${escaped(url)}">${escaped(button)}</a></p>`,
      `<p style="overflow-wrap:anywhere"><small>${escaped(url)}</small></p>`,
      ...notes.map((note) => `<p><small>${escaped(note)}</small></p>`),
      '</body></html>',
      '',
    ].join('\n'),
  }
}

/** A workspace's name is part of the subject: it must not inject a header. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
