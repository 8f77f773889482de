import { hiddenFrom } from '../../lib/base/hidden-folders.ts'
import type { Reader } from '../../lib/base/view.ts'
import type { Sql } from '../../platform/storage/index.ts'
import { visibleTags } from '../tags/index.ts'
import { jobsOutside, linksInFolders, linksSeen } from './store.ts'
import type { FeedEvent } from './types.ts'

/**
 * The events that a reader can see. Those who don't see all folders get no event of a link that was
 * then, or is now, in a hidden folder, and none of hidden folders, imports and tags. A tag that is
 * gone could have been hidden, so they aren't told of its end. A key that is restricted to some links gets
 * only events of links that it sees now.
 */
export async function visibleEvents(
  sql: Sql,
  reader: Reader,
  events: readonly FeedEvent[],
): Promise<FeedEvent[]> {
  const idsOf = (subject: string) => [
    ...new Set(events.filter((event) => subjectOf(event) === subject).map(idOf)),
  ]
  if (reader.allowed !== undefined) {
    const seen = await linksSeen(sql, idsOf('link'), reader)
    return events.filter((event) => subjectOf(event) === 'link' && seen.has(idOf(event)))
  }
  if (reader.hiddenFolders === undefined) return [...events]
  const folders = hiddenFrom(reader)
  const [links, imports, tags] = await Promise.all([
    linksInFolders(sql, idsOf('link'), folders),
    jobsOutside(sql, idsOf('import'), folders),
    visibleTags(sql, reader, idsOf('tag')),
  ])
  const isHidden = (folder: unknown) => typeof folder === 'string' && folders.includes(folder)
  return events.filter((event) => {
    const { object, previous } = event
    const id = idOf(event)
    switch (subjectOf(event)) {
      case 'link':
        return !links.has(id) && !isHidden(object.folder_id) && !isHidden(previous.folder_id)
      case 'folder':
        return !isHidden(id) && !isHidden(object.moved_to)
      case 'import':
        return imports.has(id)
      case 'tag':
        return tags.has(id)
      default:
        return true
    }
  })
}

function subjectOf({ type }: FeedEvent): string {
  return type.slice(0, type.indexOf('.'))
}

function idOf({ object }: FeedEvent): string {
  return String(object.id)
}
