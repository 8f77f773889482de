import { z } from '@hono/zod-openapi'
import type { Folder } from '../folders/schemas.ts'
import { type Call, get, jsonOf, refusal } from './call.ts'
import { folderId, named } from './find.ts'
import { choice, text, tool } from './tool.ts'

type Group = Pick<Folder, 'id' | 'name' | 'links'>

/** The most of each kind that are listed. */
const LISTED = 100

const GROUPS = z.array(z.looseObject({ id: z.string(), name: z.string(), links: z.number() }))

export const tagsAndFolders = tool({
  name: 'tags_and_folders',
  title: 'Tags and folders',
  description:
    'List, create, rename, merge or delete tags and folders; every action but list needs kind and ' +
    'name. merge gives the links of a tag another tag (new_name) and deletes the first. Deleting a ' +
    'tag removes it from its links. Links keep redirecting whatever happens to their tag or folder. ' +
    'To tag links or move them into a folder, use update_link or bulk_change_links.',
  scopes: ['links:read'],
  effect: 'deletes',
  isIdempotent: false,
  input: {
    action: choice(
      'list create rename merge delete',
      'What to do. Default: list. All others need the scope links:write.',
    ),
    kind: z.enum(['tag', 'folder']).optional().describe('Absent with list: both.'),
    name: text('The name of the tag or folder; with list: part of a name.', 200),
    new_name: text('The new name; with merge: the tag that the links get instead.', 200),
    move_links_to: text('With delete of a folder: the folder that its links move to.', 200),
  },
  output: { tags: GROUPS, folders: GROUPS },
  async run(call, { action = 'list', kind, name, new_name, move_links_to }) {
    if (action === 'list') {
      const tags = kind === 'folder' ? [] : await list(call, 'tag', name)
      const folders = kind === 'tag' ? [] : await list(call, 'folder', name)
      return { text: `${tags.length} tags and ${folders.length} folders.`, data: { tags, folders } }
    }
    if (kind === undefined || name === undefined) throw lacking('kind and name')
    const path = `/${kind}s`
    const found = async () => `${path}/${(await named(call, kind, name)).id}`
    const changed = (group: Group) =>
      resultOf(kind, [group], `The ${kind} “${group.name}” is saved.`)
    switch (action) {
      case 'create':
        return changed(await jsonOf(call('POST', path, { json: { name } })))
      case 'rename':
        if (new_name === undefined) throw lacking('new_name')
        return changed(await jsonOf(call('PATCH', await found(), { json: { name: new_name } })))
      case 'merge': {
        if (kind !== 'tag' || new_name === undefined) throw lacking('kind "tag" and new_name')
        const { id: into } = await named(call, 'tag', new_name)
        return changed(await jsonOf(call('POST', `${await found()}/merge`, { json: { into } })))
      }
      default: {
        const move_to = move_links_to && (await folderId(call, move_links_to))
        await call('DELETE', await found(), { query: { move_to } })
        return resultOf(kind, [], `The ${kind} “${name}” is deleted.`)
      }
    }
  },
})

async function list(call: Call, kind: 'tag' | 'folder', search?: string): Promise<Group[]> {
  return (await get<{ data: Group[] }>(call, `/${kind}s`, { search, limit: LISTED })).data
}

function resultOf(kind: 'tag' | 'folder', groups: Group[], text: string) {
  const data = { tags: kind === 'tag' ? groups : [], folders: kind === 'folder' ? groups : [] }
  return { text, data }
}

const lacking = (what: string) => refusal('VALIDATION_FAILED', `This action needs ${what}.`)
