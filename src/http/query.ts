import { z } from '@hono/zod-openapi'
import type { ErrorDetail } from '../errors/index.ts'

/**
 * The path of a request's URL, as it was sent, without slashes at its end. The URL is only a path
 * where the request names no host that is one (HTTP/1.0, or a malformed `Host`).
 */
export function pathOf(url: string): string {
  const start = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('//') + 2)
  if (start === -1) return '/'
  let end = url.length
  for (let i = start; i < url.length; i++) {
    const code = url.charCodeAt(i)
    if (code === QUESTION_MARK || code === HASH) {
      end = i
      break
    }
  }
  while (end > start + 1 && url.charCodeAt(end - 1) === SLASH) end--
  return url.slice(start, end)
}

const HASH = 0x23
const SLASH = 0x2f
const QUESTION_MARK = 0x3f

/** The parameters of a query: a string each, or a list where one is given several times. */
export function queryOf(url: string): Record<string, string | string[]> {
  const parameters = parametersOf(url)
  // No prototype: a parameter may be called `__proto__`.
  const query: Record<string, string | string[]> = Object.create(null)
  if (parameters === undefined) return query
  for (const [name, value] of parameters) {
    const before = query[name]
    if (before === undefined) query[name] = value
    else if (typeof before === 'string') query[name] = [before, value]
    else before.push(value)
  }
  return query
}

/**
 * The failing fields of a query by the names of its parameters, each fault once: the second value of
 * `kind` is `kind` too, for whoever asks knows no list.
 */
export function byParameter(details: readonly ErrorDetail[]): ErrorDetail[] {
  const once = new Map<string, ErrorDetail>()
  for (const detail of details) {
    const field = detail.field.replace(/\.\d+$/, '')
    const key = `${field}\n${detail.code}`
    if (!once.has(key)) once.set(key, { ...detail, field })
  }
  return [...once.values()]
}

/** The query string with its `?`, or empty. */
export function searchOf(url: string): string {
  const start = url.indexOf('?')
  if (start === -1) return ''
  const end = url.indexOf('#', start)
  return url.slice(start, end === -1 ? undefined : end)
}

/** The value of `?lang=`, or null. */
export function langOf(url: string): string | null {
  return parametersOf(url)?.get('lang') ?? null
}

function parametersOf(url: string): URLSearchParams | undefined {
  const search = searchOf(url)
  return search === '' ? undefined : new URLSearchParams(search)
}

/** A query parameter that may be given several times; always an array in the handler. */
export function repeatable<T extends z.ZodType>(item: T, max: number) {
  return z.preprocess(
    (value) => (value === undefined || Array.isArray(value) ? value : [value]),
    z.array(item).max(max).optional(),
  )
}
