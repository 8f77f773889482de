import type { Role } from '../../api/session.ts'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'

const ROLES: readonly Role[] = ['owner', 'admin', 'member', 'viewer']

/** The roles that the person may give, to choose from: only owners appoint owners. */
export function useRoles() {
  const { t } = useI18n()
  const { workspace } = usePlace()
  return ROLES.filter((role) => role !== 'owner' || workspace.role === 'owner').map((value) => ({
    value,
    label: t(`role.${value}`),
    hint: t(`members.role.${value}.text`),
  }))
}
