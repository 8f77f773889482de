import { useQueryClient } from '@tanstack/react-query'
import { usePlace } from '../../app/workspace.tsx'
import { type LinkList, listsKey } from './calls.ts'

/** Tags that links have which were seen here, those of the most links first. */
export function useKnownTags(): string[] {
  const client = useQueryClient()
  const { workspace } = usePlace()
  const lists = client.getQueriesData<LinkList>({ queryKey: listsKey(workspace.id) })
  const links = new Map(
    lists.flatMap(([, list]) => list?.data ?? []).map((link) => [link.id, link]),
  )
  const counts = new Map<string, number>()
  for (const { tags } of links.values()) {
    for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  }
  return [...counts].sort(([, a], [, b]) => b - a).map(([tag]) => tag)
}
