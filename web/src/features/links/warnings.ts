import { type QueryClient, skipToken, useQuery } from '@tanstack/react-query'
import type { Link } from './calls.ts'

type Warnings = NonNullable<Link['warnings']>

/** Not below the key of links: asking for these anew must not lose what only a write answers. */
const keyOf = (id: string) => ['link-warnings', id]

/** Keeps what the API warned of when a link was written, until it is written again. */
export function holdWarnings(client: QueryClient, { id, version, warnings = [] }: Link): void {
  client.setQueryData(keyOf(id), { version, warnings })
}

const NONE: Warnings = []

/** What the API warned of when this version of the link was written. */
export function useWarnings({ id, version }: Link): Warnings {
  const { data } = useQuery<{ version: number; warnings: Warnings }>({
    queryKey: keyOf(id),
    queryFn: skipToken,
    gcTime: Number.POSITIVE_INFINITY,
  })
  return data?.version === version ? data.warnings : NONE
}
