import type { RawBuilder } from 'kysely'
import type { View } from '../../lib/base/view.ts'
import type { Covering } from '../../model/blocks/list.ts'
import type { Status } from './row.ts'

/** The filter of a list of a workspace's links. */
export interface LinkFilter {
  workspaceNo: number
  /** Folded like the searched texts. */
  term: string | null
  /** Whether a tag of the workspace contains the term. */
  termInTags: boolean
  /** Keys of tags; a link must have them all. */
  tags: readonly string[]
  /** The current numbers of each of these tags. */
  tagNos: readonly (readonly number[])[]
  /** The ids of the folder in links' rows; `none`: links without an existing folder; null: any. */
  folder: readonly string[] | 'none' | null
  /** What the caller can see. */
  view: View
  /** Null: archived or not. */
  archived: boolean | null
  domainNo: number | null
  /** Keys of tags, and their current numbers; a link must have one of them. Null: not filtered. */
  anyTag: readonly string[] | null
  anyTagNos: readonly number[] | null
  /** What a link must have, or must not; null: not filtered. */
  hasRules: boolean | null
  hasPassword: boolean | null
  isTagged: boolean | null
  /** By the counters: not in a transaction of SQLite, which doesn't see them. */
  isClicked: boolean | null
  /** The `seq` of links whose slug or alias is the term; empty: they aren't ranked. */
  exact: readonly number[]
  /** The id of a user or key, `command` or `system`; and those that it stands for. Null: any. */
  createdBy: string | null
  createdByIds: readonly string[] | null
  /** The destination, as serialized by the URL standard. */
  targetUrl: string | null
  status: Status | null
  /** Bounds of `created_at`: from, inclusive, and until, exclusive. */
  createdFrom: number | null
  createdUntil: number | null
  /** False: `seq` isn't in the order of creation: links were imported, or a clock was wrong. */
  isOrdered?: boolean
  /** Names of links, all of which must match; null: not filtered. */
  named: NamedLinks | null
  /** The `seq` of the named links now; null: not filtered. */
  only: readonly number[] | null
  /** With a status: the blocks that cover more than single addresses; null: none. */
  covering: Covering | null
}

/** Links by name; each list has alternatives. */
export interface NamedLinks {
  ids: readonly string[] | null
  externalIds: readonly string[] | null
  /** Keys of slugs, including those of aliases. */
  slugKeys: readonly string[] | null
}

/** The links of a filter's workspace and times: a range of `seq`, bounds included. */
export interface SeqRange {
  low: number
  high: number
  /** Whether it is the whole workspace. */
  whole: boolean
}

/** A fragment of SQL. */
export type Fragment = RawBuilder<unknown>
