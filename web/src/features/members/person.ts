import { useQuery } from '@tanstack/react-query'
import type { Schemas } from '../../api/client.ts'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { membersQuery } from './calls.ts'

/** The actor of a change. */
export type Actor = Schemas['Actor']

/** The actor's name and picture, if they are still a member. */
export function usePerson(actor: Actor): { name: string; picture: string | null } {
  const { t } = useI18n()
  const { workspace } = usePlace()
  const members = useQuery(membersQuery(workspace.id)).data
  if (actor.type === 'command' || actor.type === 'system') {
    return { name: t(`audit.by.${actor.type}`), picture: null }
  }
  const member = members?.find(({ user_id }) => actor.type === 'user' && user_id === actor.id)
  return { name: member?.name || actor.name, picture: member?.picture ?? null }
}
