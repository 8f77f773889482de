import { useQuery } from '@tanstack/react-query'
import { usePlace } from '../../app/workspace.tsx'
import { domainsQuery } from './queries.ts'

/** The hosts that links can use: those of the instance, and the workspace's own. */
export function useHosts(): readonly string[] {
  const { instance, workspace } = usePlace()
  const own = useQuery(domainsQuery(workspace.id)).data ?? []
  return [
    ...instance.domains,
    ...own.filter(({ status }) => status === 'active').map(({ host }) => host),
  ]
}
