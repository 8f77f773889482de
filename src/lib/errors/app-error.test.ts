import { describe, expect, test } from 'bun:test'
import { AppError, DETAIL_CODES, ERROR_CODES, ERRORS, type ErrorDetail } from './index.ts'

describe('AppError', () => {
  test('takes its status from the catalogue', () => {
    const error = new AppError('SLUG_TAKEN', { suggestions: ['a1', 'a2', 'a3'] })
    expect(error).toBeInstanceOf(Error)
    expect(error.code).toBe('SLUG_TAKEN')
    expect(error.status).toBe(409)
    expect(error.suggestions).toEqual(['a1', 'a2', 'a3'])
    expect(error.params).toEqual({})
    expect(error.details).toBeUndefined()
    expect(error.headers).toBeUndefined()
  })

  test('keeps the internal text and the cause separate from the public text', () => {
    const cause = new Error('UNIQUE constraint failed: links.slug')
    const error = new AppError('INTERNAL_ERROR', { internal: 'insert failed', cause })
    expect(error.message).toBe('insert failed')
    expect(error.cause).toBe(cause)
    expect(new AppError('NOT_FOUND').message).toBe('NOT_FOUND')
    expect('cause' in new AppError('NOT_FOUND')).toBe(false)
  })

  test('carries parameters, details and headers', () => {
    const details: ErrorDetail[] = [
      { field: 'slug', code: 'REQUIRED' },
      { field: 'title', code: 'TOO_LONG', params: { max: 255 } },
    ]
    expect(new AppError('VALIDATION_FAILED', { details }).details).toEqual(details)
    const limited = new AppError('RATE_LIMITED', {
      params: { seconds: 3 },
      headers: { 'Retry-After': '3' },
    })
    expect(limited.params).toEqual({ seconds: 3 })
    expect(limited.headers).toEqual({ 'Retry-After': '3' })
  })

  test('has at most 100 details, and one that says how many more there are', () => {
    const some = (count: number, from = 0) =>
      Array.from({ length: count }, (_, n) => ({
        field: `f${from + n}`,
        code: 'REQUIRED' as const,
      }))
    const of = (details: readonly ErrorDetail[]) =>
      new AppError('VALIDATION_FAILED', { details }).details ?? []
    expect(of(some(100))).toEqual(some(100))
    const more = (count: number) => ({ field: '', code: 'TOO_MANY_DETAILS', params: { count } })
    expect(of(some(101))).toEqual([...some(100), more(1)] as ErrorDetail[])
    expect(of([...of(some(250)), ...of(some(130))])).toEqual([
      ...some(100),
      more(280),
    ] as ErrorDetail[])
  })

  test('cuts long names of fields, without splitting a character', () => {
    const details = [
      { field: 'x'.repeat(60_000), code: 'UNKNOWN_FIELD' as const },
      { field: `${'x'.repeat(127)}😀`, code: 'UNKNOWN_FIELD' as const },
    ]
    const [first, second] = new AppError('VALIDATION_FAILED', { details }).details ?? []
    expect(first?.field).toBe(`${'x'.repeat(128)}…`)
    expect(second?.field).toBe(`${'x'.repeat(127)}…`)
  })

  test('refuses missing, wrong and extra parameters at compile time', () => {
    const wrong = () => [
      // @ts-expect-error seconds is missing
      new AppError('RATE_LIMITED'),
      // @ts-expect-error seconds is a number
      new AppError('RATE_LIMITED', { params: { seconds: '3' } }),
      // @ts-expect-error SLUG_TAKEN has no parameters
      new AppError('SLUG_TAKEN', { params: { seconds: 3 } }),
      // @ts-expect-error no such code
      new AppError('NO_SUCH_CODE'),
      // @ts-expect-error max is missing
      { field: 'title', code: 'TOO_LONG' } satisfies ErrorDetail,
    ]
    expect(wrong).toBeFunction()
  })
})

describe('catalogue', () => {
  test('codes are upper snake case and statuses are client or server errors', () => {
    for (const code of [...ERROR_CODES, ...DETAIL_CODES]) expect(code).toMatch(/^[A-Z]+(_[A-Z]+)*$/)
    for (const code of ERROR_CODES) expect(ERRORS[code].status).toBeWithin(400, 600)
  })
})
