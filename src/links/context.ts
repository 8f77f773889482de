import type { Actor } from '../audit/index.ts'
import type { Clock } from '../base/clock.ts'
import type { Ids } from '../base/ids.ts'
import type { Random } from '../base/random.ts'
import type { Domains } from '../domains/index.ts'
import { AppError, type ErrorDetail } from '../errors/index.ts'
import type { Sql, Storage, Transaction } from '../storage/index.ts'
import { type Address, knownSlugs } from './addresses.ts'
import type { RenderLink } from './render.ts'
import { alternatives } from './slug.ts'

/** What the verbs of the links service share. */
export interface LinkContext {
  storage: Storage
  clock: Clock
  ids: Ids
  random: Random
  domains: Domains
  render: RenderLink
  /** argon2id; takes tens of milliseconds, so never inside a transaction. */
  hashPassword: (password: string) => Promise<string>
  /** How many people have visited a link so far, with those who are not counted yet. */
  peopleSoFar: (linkSeq: number) => number | Promise<number>
  /** Called after a commit that changed links. */
  changed: () => void
  /** Called after the commit that deleted a link for good. */
  removed: (linkSeq: number) => void
}

/** The caller of a verb, as far as links need to know. */
export interface LinkCaller {
  readonly workspace: {
    readonly no: number
    readonly plan: { readonly limits: { readonly links: number | null } }
  }
}

/** The caller of a verb that changes something, with the actor that the audit log names. */
export interface LinkAsker extends LinkCaller {
  readonly actor: Actor
}

const SUGGESTIONS = 3

/** The error for a slug that is in use, with free ones to take instead. */
export async function slugTaken(
  { random }: LinkContext,
  tx: Transaction,
  taken: Address,
  options: { alias: boolean },
): Promise<AppError> {
  const suggestions = await freeSlugs(random, tx, taken)
  const details: ErrorDetail[] | undefined = options.alias
    ? [{ field: 'aliases', code: 'SLUG_TAKEN' }]
    : undefined
  return new AppError('SLUG_TAKEN', { suggestions, details })
}

/** Slugs like one that is in use, which no link ever had. */
export async function freeSlugs(random: Random, sql: Sql, taken: Address): Promise<string[]> {
  const suggestions: string[] = []
  while (suggestions.length < SUGGESTIONS) {
    const candidates = alternatives(taken.slug, random)
    const known = await knownSlugs(
      sql,
      taken.domainNo,
      candidates.map(({ key }) => key),
    )
    for (const { slug, key } of candidates) {
      if (suggestions.length < SUGGESTIONS && !known.has(key)) suggestions.push(slug)
    }
  }
  return suggestions
}

/** The error for an external id that another link of the workspace has. */
export function externalIdTaken(): AppError {
  return invalid({ field: 'external_id', code: 'EXTERNAL_ID_TAKEN' })
}

/** The error for a workspace that has as many links as its plan allows. */
export function linksLimit(limit: number | null): AppError {
  return new AppError('PLAN_LIMIT_REACHED', {
    details: [{ field: 'links', code: 'LINKS_LIMIT', params: { limit: limit ?? 0 } }],
  })
}

/** The error for fields that are wrong. */
export function invalid(...details: ErrorDetail[]): AppError {
  return new AppError('VALIDATION_FAILED', { details })
}
