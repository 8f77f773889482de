import { useQuery } from '@tanstack/react-query'
import { usePlace } from '../../app/workspace.tsx'
import { folderQuery } from './queries.ts'

/** The name of a folder. A deleted one has only its id. */
export function FolderName({ id }: { id: string }) {
  const { workspace } = usePlace()
  const { data, isPending } = useQuery({ ...folderQuery(workspace.id, id), retry: false })
  return <bdi>{data?.name ?? (isPending ? '…' : id)}</bdi>
}
