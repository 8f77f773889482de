import type { Caller } from '../../http/callers.ts'
import type { ServiceContext } from '../../http/service-context.ts'
import type { Random } from '../../lib/base/random.ts'
import type { Reader } from '../../lib/base/view.ts'
import { AppError } from '../../lib/errors/index.ts'
import type { BlockList } from '../../model/blocks/list.ts'
import type { Domains } from '../../model/domains/index.ts'
import type { OwnHosts, UrlRules } from '../../model/links/values.ts'
import type { HashQueue } from '../../platform/limits/index.ts'
import type { Actor } from '../audit/index.ts'
import type { LinkRules, LinkSchemas } from './fields.ts'

import type { LinkLimits } from './quota.ts'
import type { RenderLink } from './rows.ts'
import type { Totals } from './totals.ts'

/** Dependencies of the links service. */
export interface LinkServiceDeps extends ServiceContext {
  random: Random
  domains: Domains
  ownHosts: OwnHosts
  urlRules: UrlRules
  /** Blocks other than of single addresses. Default: none. */
  blocks?: BlockList
  /**
   * Throws StorageUnavailable while the counters are too low, because they are made anew. Default:
   * they never are.
   */
  assertCountersComplete?: () => void
  /** The queue for hashing passwords. Default: a separate one. */
  hashes?: HashQueue
  /** Default: {@link hashPassword}. */
  hashPassword?: (password: string) => Promise<string>
  /**
   * Up to how many links a list is sorted instead of read from the sort's index. Default: 5,000.
   */
  few?: number
  /** Called after every commit that created, changed or deleted a link. */
  changed?: () => void
  /**
   * Called with the `seq` of a link after a commit that purged it, restored it, or changed its
   * imported clicks.
   */
  countersOutdated?: (linkSeq: number) => void
}

/** What the functions of the links service share. */
export interface LinkContext
  extends Required<Omit<LinkServiceDeps, 'ownHosts' | 'urlRules' | 'hashes' | 'hashPassword'>> {
  rules: LinkRules
  readonly schemas: LinkSchemas
  render: RenderLink
  totals: Totals
  /** argon2id; takes tens of milliseconds, so never inside a transaction. */
  hashPassword: (password: string, workspace: { readonly no: number }) => Promise<string>
}

/** The caller, as far as links need it. */
export interface LinkReader extends Reader {
  readonly workspace: {
    readonly no: number
    readonly plan: { readonly limits: LinkLimits }
  }
}

/** The caller of a change, with the actor for the audit log. */
export interface LinkWriter extends LinkReader {
  readonly actor: Actor
  /** Absent: everything is permitted. */
  readonly scopes?: Caller['scopes'] | undefined
  /** Nothing is written in the end: passwords need no hash. */
  readonly isDryRun?: boolean | undefined
}

/** The error for an external id of another link in the workspace. */
export function externalIdTaken(): AppError {
  return new AppError('EXTERNAL_ID_TAKEN')
}
