/** The API's messages by path, with draft keys instead of indexes, so that they move along. */
export type Marks = Readonly<Partial<Record<string, string>>>

type FieldMessage = { field: string; message: string }

/** The messages about a draft as it was sent. */
export function marksOf(said: readonly FieldMessage[], draft: object): Record<string, string> {
  const marks: Record<string, string> = {}
  for (const { field, message } of said) marks[keyed(field, draft)] ??= message
  return marks
}

/**
 * `rules[2].then.variants[0].weight` as `rules[k].then.variants[v].weight`, with keys of the draft;
 * an item of a list without keys by its value: `when.country["DE"]`.
 */
export function keyed(field: string, draft: object): string {
  let at: unknown = draft
  return field.replace(/\[(\d+)\]|\.?([^.[\]]+)/g, (text, index?: string, name?: string) => {
    const isItem = index !== undefined && Array.isArray(at)
    at = (at as Record<string, unknown> | undefined)?.[index ?? (name as string)]
    if (!isItem || at === undefined) return text
    const key = (at as { key?: unknown } | null)?.key
    return typeof key === 'string' ? `[${key}]` : itemPath('', at)
  })
}

/** The path of messages about an item identified by its value. */
export function itemPath(list: string, item: unknown): string {
  return `${list}[${JSON.stringify(item)}]`
}

/** All messages about a path and everything below it. */
export function messagesWithin(marks: Marks, path: string): string[] {
  const found = Object.entries(marks)
    .filter(([place]) => place.startsWith(path) && /^(?:$|[.[])/.test(place.slice(path.length)))
    .map(([, message]) => message as string)
  return [...new Set(found)]
}

/** The messages about a list and its current values, without those about removed ones. */
export function messagesOfList(marks: Marks, path: string, values: readonly unknown[]): string[] {
  const said = values.flatMap((value) => messagesWithin(marks, itemPath(path, value)))
  return [...new Set([marks[path] ?? [], said].flat())]
}
