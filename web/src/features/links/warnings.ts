import { type QueryClient, skipToken, useQuery } from '@tanstack/react-query'
import type { Link } from './queries.ts'

type Warnings = NonNullable<Link['warnings']>

/** Not below the key of links: reloading these must not lose warnings, which only writes return. */
const keyOf = (id: string) => ['link-warnings', id]

/** Keeps the warnings of a link's write until the next one. */
export function holdWarnings(client: QueryClient, { id, version, warnings = [] }: Link): void {
  client.setQueryData(keyOf(id), { version, warnings })
}

const NONE: Warnings = []

/** The warnings of the write of this version. */
export function useWarnings({ id, version }: Link): Warnings {
  const { data } = useQuery<{ version: number; warnings: Warnings }>({
    queryKey: keyOf(id),
    queryFn: skipToken,
    gcTime: Number.POSITIVE_INFINITY,
  })
  return data?.version === version ? data.warnings : NONE
}
