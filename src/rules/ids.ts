import { RULE_BOUNDS } from './types.ts'

/**
 * Gives items without an id one derived from their content, so that repeating a request changes
 * nothing, and unchanged items keep their statistics.
 */
export function withIds<T extends { id?: string | undefined }>(
  list: readonly T[],
  content: (item: T) => unknown,
): (T & { id: string })[] {
  const taken = new Set(list.map(({ id }) => id))
  return list.map((item) => {
    if (item.id !== undefined) return { ...item, id: item.id }
    const base = Bun.hash(JSON.stringify(content(item))).toString(36)
    let id = base
    for (let n = 2; taken.has(id); n++) id = `${base.slice(0, RULE_BOUNDS.id - 4)}-${n}`
    taken.add(id)
    // The id comes first, as in responses.
    const { id: _, ...rest } = item
    return { id, ...rest } as T & { id: string }
  })
}
