import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, ok, type Schemas } from '../../api/client.ts'
import { pagedQuery } from '../../api/paged-query.ts'
import { workspaceKey } from '../../api/workspace-key.ts'

export type Tag = Schemas['Tag']
export type Folder = Schemas['Folder']
export type Color = Tag['color']

export { COLORS } from '@src/features/tags/colors.ts'

/** Suggestions per field. */
const OFFERED = 20
const PAGE_SIZE = 50

/** The key of all queries of a workspace's tags. */
export const tagsKey = (workspace: string) => workspaceKey(workspace, 'tags')
export const foldersKey = (workspace: string) => workspaceKey(workspace, 'folders')

const searched = (search: string) => (search.trim() === '' ? {} : { search: search.trim() })

/** The tags that contain a text, as suggestions: the most used first. */
export function offeredTagsQuery(workspace: string, search: string) {
  const query = { limit: OFFERED, sort: 'links' as const, ...searched(search) }
  return queryOptions({
    queryKey: [...tagsKey(workspace), 'offered', query],
    queryFn: async ({ signal }) =>
      (await ok(api.GET('/api/v1/tags', { params: { query }, signal }))).data,
    placeholderData: keepPreviousData,
  })
}

/** The colors of some tags, by name. */
export function colorsQuery(workspace: string, names: readonly string[]) {
  const query = { limit: names.length, name: [...names] }
  return queryOptions({
    queryKey: [...tagsKey(workspace), 'colors', names],
    queryFn: async ({ signal }) => {
      const { data } = await ok(api.GET('/api/v1/tags', { params: { query }, signal }))
      return new Map(data.map(({ name, color }) => [name, color]))
    },
    enabled: names.length > 0,
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  })
}

/** All tags that contain a text, a page at a time. */
export function tagsQuery(workspace: string, search: string) {
  const list = pagedQuery([...tagsKey(workspace), 'list', search], (cursor, signal) => {
    const query = { limit: PAGE_SIZE, ...searched(search), ...cursor }
    return ok(api.GET('/api/v1/tags', { params: { query }, signal }))
  })
  return { ...list, placeholderData: keepPreviousData }
}

/** All folders that contain a text, a page at a time. */
export function foldersQuery(workspace: string, search: string) {
  const list = pagedQuery([...foldersKey(workspace), 'list', search], (cursor, signal) => {
    const query = { limit: PAGE_SIZE, ...searched(search), ...cursor }
    return ok(api.GET('/api/v1/folders', { params: { query }, signal }))
  })
  return { ...list, placeholderData: keepPreviousData }
}

/** One folder. */
export function folderQuery(workspace: string, id: string) {
  return queryOptions({
    queryKey: [...foldersKey(workspace), 'one', id],
    queryFn: ({ signal }) =>
      ok(api.GET('/api/v1/folders/{id}', { params: { path: { id } }, signal })),
    enabled: id !== '',
  })
}

export function createTag(body: Schemas['TagCreate']): Promise<Tag> {
  return ok(api.POST('/api/v1/tags', { body }))
}

/** Allows a change of this version only, else 412. */
const onlyIf = ({ id, version }: { id: string; version: number }) => ({
  path: { id },
  header: { 'If-Match': `"${version}"` },
})

/** Changes a tag that hasn’t changed since it was read, else 412. */
export function updateTag(tag: Tag, body: Schemas['TagPatch']): Promise<Tag> {
  return ok(api.PATCH('/api/v1/tags/{id}', { params: onlyIf(tag), body }))
}

export function mergeTag(id: string, into: string): Promise<Tag> {
  return ok(api.POST('/api/v1/tags/{id}/merge', { params: { path: { id } }, body: { into } }))
}

export async function deleteTag(id: string): Promise<void> {
  await ok(api.DELETE('/api/v1/tags/{id}', { params: { path: { id } } }))
}

export function createFolder(body: Schemas['FolderCreate']): Promise<Folder> {
  return ok(api.POST('/api/v1/folders', { body }))
}

/** Changes a folder that hasn’t changed since it was read, else 412. */
export function updateFolder(folder: Folder, body: Schemas['FolderPatch']): Promise<Folder> {
  return ok(api.PATCH('/api/v1/folders/{id}', { params: onlyIf(folder), body }))
}

export async function deleteFolder(id: string, moveTo: string): Promise<void> {
  const params = { path: { id }, query: { move_to: moveTo } }
  await ok(api.DELETE('/api/v1/folders/{id}', { params }))
}
