import { z } from '@hono/zod-openapi'
import { isWithin, parseAddress, parseNetwork, parseNetworks } from '../../lib/base/networks.ts'

/** What an API key is restricted to, as it is stored. Every given list has at least one item. */
export interface Restrictions {
  /** Numbers of domains. */
  readonly domains?: readonly number[]
  /** Ids of folders. */
  readonly folders?: readonly string[]
  /** Ids of tags. */
  readonly tags?: readonly string[]
  /** Networks in CIDR notation; the key works from nowhere else. */
  readonly networks?: readonly string[]
  /** Only links that the key made, or the keys that it was rotated from. */
  readonly own_links?: true
}

/** Restrictions in responses: only those that the key has. */
export const RestrictionsSchema = z
  .object({
    domains: z.array(z.string()).optional(),
    folders: z.array(z.string()).optional(),
    tags: z.array(z.string()).optional(),
    networks: z.array(z.string()).optional(),
    own_links: z.literal(true).optional(),
  })
  .openapi('ApiKeyRestrictions', {
    description:
      'What the key is restricted to; all that are present apply together. Links outside of them ' +
      'are answered like missing ones.',
  })

/** Restrictions as responses have them. */
export type ShownRestrictions = z.output<typeof RestrictionsSchema>

/** Every restriction. */
export const RESTRICTIONS = ['domains', 'folders', 'tags', 'networks', 'own_links'] as const

/** The most items of a restriction. */
export const RESTRICTED_MAX = 100

/** Whether a key may be used from an address. */
export function worksFrom({ networks }: Restrictions, address: string): boolean {
  return networks === undefined || isWithin(parseAddress(address), parseNetworks(networks))
}

/** Whether a key reaches only some links. */
export function isToLinks({ networks: _, ...others }: Restrictions): boolean {
  return Object.keys(others).length > 0
}

/** The restriction of `held` that `wanted` would go beyond; undefined: it is as narrow, or narrower. */
export function wider(
  wanted: Restrictions,
  held: Restrictions,
): (typeof RESTRICTIONS)[number] | undefined {
  return RESTRICTIONS.find((name) => {
    if (name === 'own_links') return held.own_links === true && !wanted.own_links
    const [all, some]: (readonly (string | number)[] | undefined)[] = [held[name], wanted[name]]
    if (all === undefined) return false
    if (some === undefined) return true
    if (name === 'networks') return !some.every((one) => isPart(String(one), all.map(String)))
    return !some.every((one) => all.includes(one))
  })
}

/** Whether a network is a part of one of some others. */
function isPart(network: string, others: readonly string[]): boolean {
  const [address, length] = parseNetwork(network)
  return others.some((other) => {
    const known = parseNetwork(other)
    return known[1] <= length && isWithin(address, [known])
  })
}
