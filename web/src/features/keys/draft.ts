import { networksOf } from '../../ui/networks-field.tsx'
import type { Restrictions, RestrictionsPatch } from './queries.ts'

/** Restrictions that are being edited. */
export interface Draft {
  /** Null: not restricted. Empty: to what was deleted, which allows nothing. */
  domains: readonly string[] | null
  folders: readonly string[] | null
  tags: readonly string[] | null
  /** One per line. */
  networks: string
  ownLinks: boolean
}

/** A key's restrictions, as its form begins. */
export function draftOf(restrictions: Restrictions): Draft {
  return {
    domains: restrictions?.domains ?? null,
    folders: restrictions?.folders ?? null,
    tags: restrictions?.tags ?? null,
    networks: restrictions?.networks?.join('\n') ?? '',
    ownLinks: restrictions?.own_links ?? false,
  }
}

/** Whether a draft restricts anything. */
export function isRestricted(draft: Draft): boolean {
  return Object.values(draft).some((value) => value !== null && value !== '' && value !== false)
}

/**
 * The restrictions that a draft changes. Others aren't sent: a list can lack what was deleted, which
 * would widen the key.
 */
export function changesOf(draft: Draft, before: Draft): RestrictionsPatch {
  const patch: RestrictionsPatch = {}
  for (const name of ['domains', 'folders', 'tags'] as const) {
    const list = draft[name]
    if (isSame(list, before[name])) continue
    patch[name] = list === null ? null : [...list]
  }
  const networks = networksOf(draft.networks)
  if (!isSame(networks, networksOf(before.networks))) {
    patch.networks = networks.length === 0 ? null : networks
  }
  if (draft.ownLinks !== before.ownLinks) patch.own_links = draft.ownLinks || null
  return patch
}

const isSame = (one: readonly string[] | null, other: readonly string[] | null) =>
  JSON.stringify(one) === JSON.stringify(other)
