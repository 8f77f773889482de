import { ERRORS, PUBLIC_DETAIL_CODES, PUBLIC_ERROR_CODES } from '../errors/index.ts'
import { type Locale, type MessageParams, translate } from '../i18n/index.ts'
import { type Html, html } from './html.ts'
import { entries } from './schema.ts'

/** What stands in the messages here, where no request gave the values. */
const SAMPLES: MessageParams = {
  scope: 'links:write',
  allowed: ['application/json'],
  expected: 'string',
  seconds: 5,
  limit: 1000,
  min: 1,
  max: 100,
  other: 'limit',
  line: 1,
  column: 12,
}

/** Codes whose own values say more. */
const OWN: Readonly<Record<string, MessageParams>> = {
  METHOD_NOT_ALLOWED: { allowed: ['GET', 'HEAD', 'OPTIONS'] },
  PAYLOAD_TOO_LARGE: { max: 65_536 },
  URL_SCHEME_NOT_ALLOWED: { allowed: ['http', 'https'] },
  INVALID_HEADER: { expected: 'identity' },
  INVALID_VALUE: { allowed: ['asc', 'desc'] },
}

/** Every code that an error can have. */
export function errorCodes(locale: Locale): Html {
  return entries(
    PUBLIC_ERROR_CODES.map((code) => ({
      name: html`<code id="${code}">${code}</code>`,
      kind: String(ERRORS[code].status),
      meaning: translate(locale, `error.${code}`, { ...SAMPLES, ...OWN[code] }),
      locale,
    })),
  )
}

/** Every code that a failing field can have. */
export function detailCodes(locale: Locale): Html {
  return entries(
    PUBLIC_DETAIL_CODES.map((code) => ({
      name: html`<code id="detail-${code}">${code}</code>`,
      meaning: translate(locale, `detail.${code}`, { ...SAMPLES, ...OWN[code] }),
      locale,
    })),
  )
}
