import { useQuery } from '@tanstack/react-query'
import { usePlace } from '../../../app/workspace.tsx'
import { useI18n } from '../../../i18n/index.tsx'
import { keysQuery } from '../../keys/queries.ts'
import { membersQuery } from '../../members/queries.ts'

/**
 * Who may have made links: the person, the other members, and the chosen one by id if that is none
 * of them.
 */
export function useCreators(chosen: string | undefined): { id: string; name: string }[] {
  const { t } = useI18n()
  const { workspace, user, may } = usePlace()
  const members = useQuery(membersQuery(workspace.id)).data ?? []
  const isKey = chosen?.startsWith('key_') ?? false
  const keys =
    useQuery({ ...keysQuery(workspace.id), enabled: isKey && may('keys:write') }).data ?? []
  const creators = [
    { id: 'me', name: t('links.createdBy.me') },
    ...members
      .filter(({ user_id }) => user_id !== user.id || user_id === chosen)
      .map(({ user_id: id, name, email }) => ({ id, name: name || email })),
  ]
  if (chosen === undefined || creators.some(({ id }) => id === chosen)) return creators
  const isOwn = chosen === 'command' || chosen === 'system'
  const name = isOwn ? t(`audit.by.${chosen}`) : keys.find(({ id }) => id === chosen)?.name
  return [...creators, { id: chosen, name: name ?? chosen }]
}
