import { useQueries } from '@tanstack/react-query'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { folderQuery } from '../groups/queries.ts'

/** The names of folders, in their order. */
export function useFolderNames(ids: readonly string[]): string[] {
  const { t } = useI18n()
  const { workspace } = usePlace()
  const queries = ids.map((id) => ({ ...folderQuery(workspace.id, id), retry: false }))
  return useQueries({ queries }).map(({ data, isPending }) =>
    isPending ? '…' : (data?.name ?? t('keys.restrictions.deletedFolder')),
  )
}
