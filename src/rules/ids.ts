import { RULE_BOUNDS } from './types.ts'

/**
 * Gives an id to what has none, made of its content: the same request twice changes nothing, and
 * what stays as it is keeps its numbers in the statistics.
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
    // First, as in what is given out.
    const { id: _, ...rest } = item
    return { id, ...rest } as T & { id: string }
  })
}
