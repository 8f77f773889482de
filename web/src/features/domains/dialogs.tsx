import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { workspaceKey } from '../../api/workspace-key.ts'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { ConfirmDialog, FormDialog } from '../../ui/dialog.tsx'
import { fieldError } from '../../ui/errors.ts'
import { TextField } from '../../ui/text-field.tsx'
import { addDomain, type Domain, deleteDomain } from './queries.ts'

/** Invalidates what depends on domains. */
export function useDomainsChanged() {
  const { workspace } = usePlace()
  const client = useQueryClient()
  return async () => {
    await client.invalidateQueries({ queryKey: workspaceKey(workspace.id, 'domains') })
    void client.invalidateQueries({ queryKey: workspaceKey(workspace.id, 'usage') })
  }
}

/** A host that was typed as a URL. */
const withoutPath = (text: string) => text.replace(/[/?#].*$/, '')

/** Adds a host. */
export function AddDialog({ onClose }: { onClose: () => void }) {
  const { t } = useI18n()
  const changed = useDomainsChanged()
  const [host, setHost] = useState('')
  const add = useMutation({
    mutationFn: () => addDomain(withoutPath(host.trim())),
    async onSuccess() {
      await changed()
      onClose()
    },
  })
  return (
    <FormDialog
      title={t('domains.add')}
      action={t('domains.add')}
      task={add}
      fields={['host']}
      onClose={onClose}
    >
      <TextField
        label={t('domains.host')}
        error={fieldError(add.error, 'host')}
        required
        dir="ltr"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        placeholder="go.example.com"
        value={host}
        // A pasted URL is reduced to its host.
        onChange={(text) => setHost(text.replace(/^\s*https?:\/\/([^/?#\s]*).*$/i, '$1'))}
      />
    </FormDialog>
  )
}

/** Confirms removing a host; the server refuses while it has links. */
export function DeleteDialog({ domain, onClose }: { domain: Domain; onClose: () => void }) {
  const { t } = useI18n()
  const changed = useDomainsChanged()
  return (
    <ConfirmDialog
      onClose={onClose}
      title={t('domains.delete')}
      description={t('domains.delete.text', { host: domain.host })}
      action={t('domains.delete')}
      onConfirm={() => deleteDomain(domain.id).then(changed)}
    />
  )
}
