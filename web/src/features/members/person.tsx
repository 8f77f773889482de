import { useQuery } from '@tanstack/react-query'
import type { Schemas } from '../../api/client.ts'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { membersQuery } from './queries.ts'

/** Who did something; without a name if the reader may not know it. */
export type Actor =
  | Schemas['Actor']
  | NonNullable<Schemas['ApiKey']['created_by']>
  | NonNullable<Schemas['Link']['created_by']>

interface Shown {
  name: string
  picture: string | null
  /** Their email address or former name, if that isn't the name: a detail. */
  detail: string | undefined
}

/** How the actor is shown: members by their current name, with their picture. */
export function usePerson(actor: Actor): Shown {
  const { t } = useI18n()
  const { workspace } = usePlace()
  const members = useQuery(membersQuery(workspace.id)).data
  if (actor.type === 'command' || actor.type === 'system') {
    return { name: t(`audit.by.${actor.type}`), picture: null, detail: undefined }
  }
  const member = members?.find(({ user_id }) => actor.type === 'user' && user_id === actor.id)
  const known = actor.name ?? actor.id ?? ''
  const name = member?.name || known
  return { name, picture: member?.picture ?? null, detail: name === known ? undefined : known }
}

/** The name of who did something; the address is shown on hover. */
export function PersonName({ actor }: { actor: Actor }) {
  const { name, detail } = usePerson(actor)
  return <bdi title={detail}>{name}</bdi>
}

/** When and by whom something was created. */
export function CreatedBy({ at, by }: { at: string; by: Actor }) {
  const { t, format } = useI18n()
  const { name, detail } = usePerson(by)
  return <span title={detail}>{t('keys.createdBy', { date: format.date(at), who: name })}</span>
}
