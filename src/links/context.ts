import type { Actor } from '../audit/index.ts'
import type { Clock } from '../base/clock.ts'
import type { Ids } from '../base/ids.ts'
import type { Random } from '../base/random.ts'
import type { BlockList } from '../blocks/list.ts'
import type { Domains } from '../domains/index.ts'
import { type AppError, invalid } from '../errors/index.ts'
import type { Cursors } from '../http/cursor.ts'
import type { Reader } from '../http/types.ts'
import type { HashQueue } from '../limits/index.ts'
import type { Storage } from '../storage/index.ts'
import type { LinkRules, LinkSchemas } from './fields.ts'
import type { Totals } from './list.ts'
import type { RenderLink } from './rows.ts'
import type { LinkLimits } from './store.ts'
import type { OwnHosts, UrlRules } from './values.ts'

/** What the links service works with. */
export interface LinkServiceDeps {
  storage: Storage
  clock: Clock
  ids: Ids
  random: Random
  cursors: Cursors
  domains: Domains
  ownHosts: OwnHosts
  urlRules: UrlRules
  /** What is blocked besides addresses. Default: nothing. */
  blocks?: BlockList
  /** How many people have visited a link so far, with those who are not counted yet. */
  peopleSoFar: (linkSeq: number) => number | Promise<number>
  /** Where passwords wait to be hashed. Default: a queue of its own. */
  hashes?: HashQueue
  /** Default: {@link hashPassword}. */
  hashPassword?: (password: string) => Promise<string>
  /** How many links a list collects and sorts, instead of walking the sort's index. Default: 5,000. */
  few?: number
  /** Called after every commit that made, changed or deleted a link. */
  changed?: () => void
  /** Called with the `seq` of a link after the commit that deleted it for good. */
  removed?: (linkSeq: number) => void
}

/** What the verbs of the links service share. */
export interface LinkContext
  extends Required<Omit<LinkServiceDeps, 'ownHosts' | 'urlRules' | 'hashes' | 'hashPassword'>> {
  rules: LinkRules
  readonly patchSchema: LinkSchemas['patch']
  render: RenderLink
  totals: Totals
  /** argon2id; takes tens of milliseconds, so never inside a transaction. */
  hashPassword: (password: string, workspace: { readonly no: number }) => Promise<string>
}

/** The caller of a verb, as far as links need to know. */
export interface LinkCaller extends Reader {
  readonly workspace: {
    readonly no: number
    readonly plan: { readonly limits: LinkLimits }
  }
}

/** The caller of a verb that changes something, with the actor that the audit log names. */
export interface LinkAsker extends LinkCaller {
  readonly actor: Actor
}

/** The error for an external id that another link of the workspace has. */
export function externalIdTaken(): AppError {
  return invalid({ field: 'external_id', code: 'EXTERNAL_ID_TAKEN' })
}
