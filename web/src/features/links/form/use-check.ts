import { useQuery } from '@tanstack/react-query'
import type { ErrorDetail } from '../../../api/errors.ts'
import { workspaceKey } from '../../../api/workspace-key.ts'
import { usePlace } from '../../../app/workspace.tsx'
import { useDebounced } from '../../../lib/use-debounced.ts'
import { checkLink } from '../queries.ts'
import type { Draft } from './draft.ts'
import { withScheme } from './input-values.ts'

const PAUSE_MS = 250

/** The API's validation of URL and slug, requested when typing pauses. */
export function useLinkCheck(draft: Draft, excludeId: string | undefined) {
  const { workspace } = usePlace()
  const asked = useDebounced(
    JSON.stringify({
      ...(draft.destination_url.trim() === ''
        ? {}
        : { destination_url: withScheme(draft.destination_url.trim()) }),
      ...(draft.slug.trim() === '' ? {} : { slug: draft.slug.trim() }),
      domain: draft.domain,
      ...(excludeId === undefined ? {} : { exclude_id: excludeId }),
    }),
    PAUSE_MS,
  )
  const body = JSON.parse(asked) as Parameters<typeof checkLink>[0]
  const { data } = useQuery({
    queryKey: workspaceKey(workspace.id, 'link-check', asked),
    queryFn: ({ signal }) => checkLink(body, signal),
    enabled: body.destination_url !== undefined || body.slug !== undefined,
    staleTime: 5_000,
    gcTime: 30_000,
    retry: false,
  })
  const current =
    (body.slug ?? '') === draft.slug.trim() &&
    (body.destination_url ?? '') === withScheme(draft.destination_url.trim())
  const problems: Partial<Record<string, ErrorDetail>> = {}
  for (const problem of data?.problems ?? []) problems[problem.field] ??= problem
  return {
    problems,
    suggestions: data?.suggestions ?? [],
    /** Whether the response is about the current values. */
    current: current && data !== undefined,
  }
}
