import type { Domains } from '../domains/index.ts'
import { checkText } from '../validation/checked.ts'
import { Fault } from '../validation/fault.ts'
import { foldCase } from '../validation/text.ts'
import { parseSlug, type SlugName } from './slug.ts'

/** A tag as typed, and the key that makes it unique within a link. */
export interface Tag {
  tag: string
  key: string
}

/** A further slug; without a domain it is on the link's own. */
export interface AliasInput extends SlugName {
  domainNo?: number
}

/** The bounds of a link's fields: characters are Unicode code points. */
export const BOUNDS = {
  title: 255,
  notes: 2000,
  external_id: 255,
  tag: 50,
  tags: 20,
  aliases: 20,
  password: 128,
  search: 255,
} as const

const checkLength = checkText({ max: BOUNDS.tag, min: 1 })

/** A tag as typed, without the space around it. */
export function checkTag(text: string): Tag | Fault {
  const tag = checkLength(text.trim())
  return tag instanceof Fault ? tag : { tag, key: foldCase(tag) }
}

/** Tags in the order of their keys; of two that differ only in case the first one stays. */
export function checkTags(tags: readonly Tag[]): Tag[] | Fault {
  const unique = new Map<string, Tag>()
  for (const tag of tags) if (!unique.has(tag.key)) unique.set(tag.key, tag)
  if (unique.size > BOUNDS.tags) return new Fault('TOO_MANY', { max: BOUNDS.tags })
  return [...unique.values()].sort((a, b) => (a.key < b.key ? -1 : 1))
}

/** Aliases, none of them twice. */
export function checkAliases(aliases: readonly AliasInput[]): readonly AliasInput[] | Fault[] {
  if (aliases.length > BOUNDS.aliases) return [new Fault('TOO_MANY', { max: BOUNDS.aliases })]
  const identities = aliases.map(({ domainNo, key }) => `${domainNo ?? ''}/${key}`)
  const repeated = identities.flatMap((identity, i) =>
    identities.indexOf(identity) < i ? [new Fault('DUPLICATE_VALUE').at(i)] : [],
  )
  return repeated.length > 0 ? repeated : aliases
}

/** An alias: a slug, or `host/slug` of another domain of the instance. */
export function checkAlias(text: string, domains: Domains): AliasInput | Fault {
  const slash = text.lastIndexOf('/')
  if (slash === -1) return parseSlug(text)
  const domainNo = checkDomain(text.slice(0, slash), domains)
  if (domainNo instanceof Fault) return domainNo
  const slug: SlugName | Fault = parseSlug(text.slice(slash + 1))
  return slug instanceof Fault ? slug : { ...slug, domainNo }
}

/** The number of a domain that this instance serves. */
export function checkDomain(host: string, domains: Domains): number | Fault {
  return domains.noOf(host) ?? new Fault('UNKNOWN_DOMAIN')
}
