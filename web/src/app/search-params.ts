/**
 * Search parameters in the usual form (`?tag=a&tag=b`) instead of JSON, because people read and
 * share URLs. A repeated parameter is a list; each route validates its own.
 */
export function parseSearch(text: string): Record<string, string | string[]> {
  const found: Record<string, string | string[]> = {}
  for (const [name, value] of new URLSearchParams(text)) {
    const before = found[name]
    found[name] = before === undefined ? value : [before, value].flat()
  }
  return found
}

/** The inverse; undefined and empty values are omitted. */
export function stringifySearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null && one !== '') params.append(name, String(one))
    }
  }
  const text = params.toString()
  return text === '' ? '' : `?${text}`
}

/** A parameter that is one text. */
export function textOf(value: unknown): string | undefined {
  const one = Array.isArray(value) ? value[0] : value
  return typeof one === 'string' && one !== '' ? one : undefined
}

/** A parameter that is a list of texts. */
export function listOf(value: unknown): string[] | undefined {
  const all = [value].flat().filter((one): one is string => typeof one === 'string' && one !== '')
  return all.length === 0 ? undefined : all
}

/** A parameter that is one of a few words. */
export function oneOf<const T extends string>(value: unknown, words: readonly T[]): T | undefined {
  return words.find((word) => word === value)
}

/** A parameter that is there or not. */
export function isOn(value: unknown): true | undefined {
  return value === true || value === 'true' ? true : undefined
}

/** The defined members: the others don't appear in the URL. */
export function defined<T extends object>(values: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>
  }
}
