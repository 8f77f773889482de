import { z } from '@hono/zod-openapi'
import { DEFAULT_DOMAIN } from '../domains/index.ts'
import type { ErrorDetail } from '../errors/index.ts'
import { type Address, type Addresses, allOf, identity } from './addresses.ts'
import { type AliasInput, isReserved } from './slug.ts'

interface Named {
  slug?: AliasInput | undefined
  aliases?: readonly AliasInput[] | undefined
  domain?: number | undefined
}

/** Checks a new link's; a change may leave the domain as it is: {@link reservedFaults}. */
export function noneReserved() {
  return z.superRefine<Named>(
    ({ slug, aliases, domain }, context) => {
      const ownNo = typeof domain === 'number' ? domain : DEFAULT_DOMAIN
      const check = (name: AliasInput | undefined, path: (string | number)[]) => {
        if (typeof name?.slug !== 'string') return
        if (!isReserved(name.slug, name.domainNo ?? ownNo)) return
        context.addIssue({ code: 'custom', path, params: { detail: 'SLUG_RESERVED' } })
      }
      check(slug, ['slug'])
      if (!Array.isArray(aliases)) return
      for (const [i, name] of aliases.entries()) check(name, ['aliases', i])
    },
    { when: ({ value }) => typeof value === 'object' && value !== null },
  )
}

/** The addresses that a link can't have where it didn't have them before. */
export function reservedFaults(before: readonly Address[], after: Addresses): ErrorDetail[] {
  const had = new Set(before.map(identity))
  return allOf(after).flatMap((address, i) =>
    had.has(identity(address)) || !isReserved(address.slug, address.domainNo)
      ? []
      : [{ field: i === 0 ? 'slug' : `aliases[${i - 1}]`, code: 'SLUG_RESERVED' }],
  )
}
