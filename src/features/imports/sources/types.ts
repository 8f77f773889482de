import type { SourceRecord } from '../formats/index.ts'

/** Requests a path below the service's base URL, with parameters; returns parsed JSON. */
export type Ask = (
  path: string,
  query: Readonly<Record<string, string>>,
  headers?: Readonly<Record<string, string>>,
  form?: Readonly<Record<string, string>>,
) => Promise<unknown>

/** Links, and the position of the next page. */
export interface Page {
  records: SourceRecord[]
  /** Null: this is the last page. */
  next: string | null
  /** If the service tells it. */
  total?: number | undefined
}

/** How the links of a service are read, page by page. */
export interface Source {
  /** Its base URL, if there is only one. */
  readonly baseUrl?: string
  /** @param cursor null: the first page */
  page(ask: Ask, token: string, cursor: string | null): Promise<Page>
}

/**
 * A page of links of a service that has several collections. `read` reads a page of one.
 * @param cursor the remaining collections, and the position in the first one
 */
export async function pageOfPlaces<P>(
  cursor: string | null,
  places: () => Promise<P[]>,
  read: (
    place: P,
    after: string | null,
  ) => Promise<{ records: SourceRecord[]; after: string | null }>,
): Promise<Page> {
  const position = cursor === null ? { left: await places(), after: null } : JSON.parse(cursor)
  const { left, after } = position as { left: P[]; after: string | null }
  const [place, ...others] = left
  if (place === undefined) return { records: [], next: null }
  const page = await read(place, after)
  const next = { left: page.after === null ? others : left, after: page.after }
  return { records: page.records, next: next.left.length > 0 ? JSON.stringify(next) : null }
}

/** The response doesn't conform to the service's API. */
export class UnexpectedAnswer extends Error {}

/** A member that is a list of objects. @throws UnexpectedAnswer */
export function listIn(answer: unknown, ...path: string[]): SourceRecord[] {
  const value = at(answer, ...path)
  if (Array.isArray(value)) return objectsIn(value)
  throw new UnexpectedAnswer()
}

export function objectsIn(items: readonly unknown[]): SourceRecord[] {
  return items.filter((item): item is SourceRecord => typeof item === 'object' && item !== null)
}

/** A member that identifies an object. @throws UnexpectedAnswer */
export function nameIn(object: SourceRecord, name: string): string {
  const text = textAt(object, name)
  if (text === null) throw new UnexpectedAnswer()
  return text
}

/** A nested member; undefined: there is none. */
export function at(answer: unknown, ...path: string[]): unknown {
  let value = answer
  for (const name of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}

/** A nested count; anything else is as if it were absent. */
export function numberAt(answer: unknown, ...path: string[]): number | undefined {
  const value = Number(textAt(answer, ...path) ?? Number.NaN)
  return Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

/** A nested text or number; null: there is none. */
export function textAt(answer: unknown, ...path: string[]): string | null {
  const value = at(answer, ...path)
  return (typeof value === 'string' && value !== '') || typeof value === 'number'
    ? String(value)
    : null
}
