import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { fieldError } from '../../ui/errors.ts'
import { TextField } from '../../ui/text-field.tsx'
import { showToast } from '../../ui/toast.tsx'
import { showJob } from '../jobs/calls.ts'
import { replay, webhooksKey } from './calls.ts'

/** Sends past events again, from one on. */
export function ReplayDialog({
  id,
  after: given = '',
  onClose,
}: {
  id: string
  /** The event after which it starts. */
  after?: string
  onClose: () => void
}) {
  const { t } = useI18n()
  const { workspace } = usePlace()
  const client = useQueryClient()
  const [after, setAfter] = useState(given)
  const start = useMutation({
    mutationFn: () => replay(id, after.trim() || null),
    onSuccess(job) {
      showJob(client, workspace.id, job)
      void client.invalidateQueries({ queryKey: webhooksKey(workspace.id) })
      showToast({ title: t('webhooks.replay.started') })
      onClose()
    },
  })
  return (
    <FormDialog
      title={t('webhooks.replay')}
      description={t('webhooks.replay.text')}
      action={t('webhooks.replay')}
      task={start}
      fields={['after']}
      onClose={onClose}
    >
      <TextField
        label={t('webhooks.replay.after')}
        hint={t('webhooks.replay.hint')}
        error={fieldError(start.error, 'after')}
        dir="ltr"
        autoComplete="off"
        spellCheck={false}
        maxLength={64}
        placeholder="evt_…"
        value={after}
        onChange={setAfter}
      />
    </FormDialog>
  )
}
