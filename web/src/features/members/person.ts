import { useQuery } from '@tanstack/react-query'
import type { Schemas } from '../../api/client.ts'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { membersQuery } from './calls.ts'

/** Who did something, as the API says it. */
export type Actor = Schemas['Actor']

/** Who it was: by name where the person is still a member and has one, and as they look. */
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
