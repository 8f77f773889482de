import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { ConfirmDialog, FormDialog } from '../../ui/dialog.tsx'
import { FormError } from '../../ui/field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { fieldError, formError } from '../auth/errors.ts'
import { addDomain, type Domain, deleteDomain } from './calls.ts'

/** What a change of domains makes outdated. */
export function useDomainsChanged() {
  const { workspace } = usePlace()
  const client = useQueryClient()
  return async () => {
    await client.invalidateQueries({ queryKey: [workspace.id, 'domains'] })
    void client.invalidateQueries({ queryKey: [workspace.id, 'usage'] })
  }
}

/** Asks for a host. */
export function AddDialog({ onClose }: { onClose: () => void }) {
  const i18n = useI18n()
  const { t } = i18n
  const changed = useDomainsChanged()
  const [host, setHost] = useState('')
  const add = useMutation({
    mutationFn: () => addDomain(host.trim()),
    async onSuccess() {
      await changed()
      onClose()
    },
  })
  return (
    <FormDialog
      title={t('domains.add')}
      action={t('domains.add')}
      busy={add.isPending}
      problem={formError(add.error, i18n, ['host'])}
      onSubmit={() => add.mutate()}
      onClose={onClose}
    >
      <TextField
        label={t('domains.host')}
        error={fieldError(add.error, 'host')}
        required
        dir="ltr"
        autoComplete="off"
        spellCheck={false}
        placeholder="go.example.com"
        value={host}
        onChange={setHost}
      />
    </FormDialog>
  )
}

/** Asks before a host is given back; the server refuses while links are on it. */
export function DeleteDialog({ domain, onClose }: { domain: Domain; onClose: () => void }) {
  const i18n = useI18n()
  const { t } = i18n
  const changed = useDomainsChanged()
  const remove = useMutation({ mutationFn: () => deleteDomain(domain.id), onSuccess: changed })
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={t('domains.delete')}
      description={t('domains.delete.text', { host: domain.host })}
      action={t('domains.delete')}
      onConfirm={() => remove.mutateAsync()}
    >
      <FormError message={formError(remove.error, i18n)} />
    </ConfirmDialog>
  )
}
