import { includesScope, type Scope } from '../../model/keys/scopes.ts'
import { bulkChangeLinks } from './bulk.ts'
import { listEvents } from './events.ts'
import { tagsAndFolders } from './groups.ts'
import { getHistory } from './history.ts'
import { getJobStatus } from './jobs.ts'
import { findLinks, getLink } from './read-links.ts'
import { getStatistics } from './statistics.ts'
import type { Tool } from './tool.ts'
import { explainVisit, getQrCode } from './visits.ts'
import { createLink, deleteLink, restoreLink, updateLink } from './write-links.ts'

/** Every tool, in the order in which clients see them. */
export const TOOLS: readonly Tool[] = [
  findLinks,
  getLink,
  createLink,
  updateLink,
  deleteLink,
  restoreLink,
  bulkChangeLinks,
  getHistory,
  getStatistics,
  explainVisit,
  getQrCode,
  tagsAndFolders,
  getJobStatus,
  listEvents,
]

/** The scopes that a tool needs and these don't include. */
export function lackingScopes(tool: Tool, held: ReadonlySet<string>): readonly Scope[] {
  return tool.scopes.filter((scope) => !includesScope(held, scope))
}
