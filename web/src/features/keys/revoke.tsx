import { useQueryClient } from '@tanstack/react-query'
import { workspaceKey } from '../../api/workspace-key.ts'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toast.tsx'
import { type ApiKey, revokeKey } from './queries.ts'

/** Confirms revoking a key, which can't be undone; says what stops working. */
export function RevokeDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const { t, format } = useI18n()
  const { workspace } = usePlace()
  const client = useQueryClient()
  const revoke = async () => {
    await revokeKey(apiKey.id)
    await client.invalidateQueries({ queryKey: workspaceKey(workspace.id, 'keys') })
    void client.invalidateQueries({ queryKey: workspaceKey(workspace.id, 'usage') })
    showToast({ title: t('keys.revoked', { name: apiKey.name }) })
  }
  return (
    <ConfirmDialog
      onClose={onClose}
      title={t('keys.revoke.title', { name: apiKey.name })}
      description={t('keys.revoke.text', { prefix: `slug_${apiKey.prefix}_…` })}
      action={t('keys.revoke')}
      onConfirm={revoke}
    >
      <p className="text-muted">
        {apiKey.last_used_at === null
          ? t('keys.revoke.unused')
          : t('keys.revoke.used', { when: format.relative(apiKey.last_used_at) })}
      </p>
    </ConfirmDialog>
  )
}
