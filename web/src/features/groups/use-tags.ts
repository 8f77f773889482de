import { useQuery, useQueryClient } from '@tanstack/react-query'
import { workspaceKey } from '../../api/workspace-key.ts'
import { usePlace } from '../../app/workspace.tsx'
import { useLeadingDebounce } from '../../lib/use-debounced.ts'
import {
  type Color,
  colorsQuery,
  foldersKey,
  offeredTagsQuery,
  type Tag,
  tagsKey,
} from './queries.ts'

/** Requests wait for this pause in typing. */
const SEARCH_PAUSE_MS = 150
/** The most names per request. */
const NAMES_MAX = 60

/** The tags of the workspace that contain the typed text; `isPending`: of an earlier text. */
export function useOfferedTags(
  text: string,
  enabled = true,
): { tags: readonly Tag[]; isPending: boolean } {
  const { workspace } = usePlace()
  const search = useLeadingDebounce(text, SEARCH_PAUSE_MS)
  const query = useQuery({ ...offeredTagsQuery(workspace.id, search), enabled })
  const isPending =
    enabled && !query.isError && (search !== text || !query.isSuccess || query.isPlaceholderData)
  return { tags: query.data ?? [], isPending }
}

/** The colors of the tags that some links have. */
export function useTagColors(
  links: readonly { tags: readonly string[] }[],
): ReadonlyMap<string, Color> | undefined {
  const { workspace } = usePlace()
  const names = [...new Set(links.flatMap(({ tags }) => tags))].sort()
  return useQuery(colorsQuery(workspace.id, names.slice(0, NAMES_MAX))).data
}

/** Invalidates tags, folders and links, which show each other's names. */
export function useGroupsChanged(): () => Promise<unknown> {
  const client = useQueryClient()
  const { workspace } = usePlace()
  const keys = [
    tagsKey(workspace.id),
    foldersKey(workspace.id),
    workspaceKey(workspace.id, 'links'),
  ]
  return () => Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })))
}
