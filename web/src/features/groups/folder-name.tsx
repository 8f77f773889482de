import { useQuery } from '@tanstack/react-query'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { folderQuery } from './queries.ts'

/** The name of a folder. */
export function FolderName({ id }: { id: string }) {
  const { t } = useI18n()
  const { workspace } = usePlace()
  const { data, isPending } = useQuery({ ...folderQuery(workspace.id, id), retry: false })
  return <bdi>{data?.name ?? (isPending ? '…' : t('keys.restrictions.deletedFolder'))}</bdi>
}
