import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  AppError,
  type AppErrorArgs,
  DETAIL_CODES,
  DETAILS,
  ERROR_CODES,
  ERRORS,
  type ErrorDetail,
  renderError,
} from '../lib/errors/index.ts'
import { LOCALES, PSEUDO_LOCALES, translate } from '../lib/i18n/index.ts'
import { StorageUnavailable } from '../platform/storage/index.ts'
import { asAppError } from './failure.ts'
import { createTestApi, type TestApi } from './testing/api.ts'

const SECRET = 'disk I/O error: SELECT secret FROM /var/lib/slugline.db'

let t: TestApi
let away: TestApi
beforeAll(async () => {
  t = await createTestApi()
  away = await createTestApi({
    storage: {
      ...t.storage,
      write: () => Promise.reject(new StorageUnavailable(SECRET)),
      close: async () => {},
    },
  })
})
afterAll(async () => {
  await away.close()
  await t.close()
})

/** Codes that no request can cause. */
const FAILURES = {
  INTERNAL_ERROR: (headers: Record<string, string>) =>
    t.send('GET', '/api/v1/hosts/broken', { headers }),
  SERVICE_UNAVAILABLE: (headers: Record<string, string>) =>
    away.send('POST', '/api/v1/hosts', { body: { no: 1, host: 'x' }, headers }),
} as const

describe.each(Object.keys(FAILURES) as (keyof typeof FAILURES)[])('%s', (code) => {
  test.each([...LOCALES, ...PSEUDO_LOCALES])(
    'in %s says what to do, and no more',
    async (locale) => {
      const response = await FAILURES[code]({ 'Accept-Language': locale })
      const request_id = response.headers.get('X-Request-Id') as string
      expect(response.status).toBe(ERRORS[code].status)
      expect(response.headers.get('Content-Language')).toBe(locale)
      expect(response.headers.get('Vary')).toContain('Accept-Language')
      expect(response.headers.get('Cache-Control')).toBe('private, no-cache')
      expect(response.headers.has('Retry-After')).toBe(code === 'SERVICE_UNAVAILABLE')
      expect(await response.json()).toEqual({
        error: { code, message: translate(locale, `error.${code}`), request_id },
      })
      expect(JSON.stringify([...response.headers])).not.toMatch(/SELECT|slugline\.db|errors\.test/)
    },
  )

  test('is a problem without internal details', async () => {
    const response = await FAILURES[code]({ Accept: 'application/problem+json' })
    const { status } = ERRORS[code]
    const text = await response.text()
    expect(JSON.parse(text)).toMatchObject({ status, code })
    expect(text).not.toMatch(/SELECT|slugline\.db|errors\.test/)
  })

  test('is not a problem for clients that don’t accept problems', async () => {
    const response = await FAILURES[code]({ Accept: 'application/problem+json;q=0' })
    expect(response.headers.get('Content-Type')).toBe('application/json')
    expect(await response.json()).toMatchObject({ error: { code } })
  })

  test('is not stored for an Idempotency-Key', async () => {
    const response = await FAILURES[code]({ 'Idempotency-Key': `key-${code}` })
    expect(response.status).toBe(ERRORS[code].status)
    expect(response.headers.get('Idempotent-Replayed')).toBeNull()
  })
})

test('everything thrown becomes one of our codes', () => {
  for (const thrown of [new Error(SECRET), SECRET, null, undefined, { code: 'SQLITE_FULL' }]) {
    expect(asAppError(thrown).code).toBe('INTERNAL_ERROR')
  }
  expect(asAppError(new StorageUnavailable(SECRET)).code).toBe('SERVICE_UNAVAILABLE')
})

describe('in en-XA', () => {
  // Values aren't part of the message: digits replace them.
  const valuesOf = (spec: object) =>
    Object.fromEntries(
      Object.entries(spec).map(([name, kind]) => [name, /list/.test(kind) ? ['1', '2'] : 3]),
    )

  test.each([...ERROR_CODES])('%s has no untranslated word', (code) => {
    const details = DETAIL_CODES.map((detail) => ({
      field: '1',
      code: detail,
      params: valuesOf(DETAILS[detail]),
    })) as unknown as ErrorDetail[]
    const options = { params: valuesOf(ERRORS[code].params), details }
    const error = new AppError(...([code, options] as unknown as AppErrorArgs))
    const view = { locale: 'en-XA', requestId: '1', baseUrl: '' } as const
    for (const asProblem of [false, true]) {
      const body = JSON.parse(renderError(error, { ...view, asProblem }).text as string)
      const shown = asProblem ? body : body.error
      const messages = [
        asProblem ? shown.detail : shown.message,
        ...shown.details.map(({ message }: ErrorMessage) => message),
      ]
      expect(messages.length).toBe(DETAIL_CODES.length + 1)
      // "or" in a list of values is in the language itself, and has no pseudo form.
      for (const message of messages) expect(message.replace('1 or 2', '')).not.toMatch(/[A-Za-z]/)
    }
  })
})

interface ErrorMessage {
  message: string
}
