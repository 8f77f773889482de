import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { fieldError } from '../../ui/errors.ts'
import { Segmented } from '../../ui/segmented.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { showToast } from '../../ui/toast.tsx'
import { showJob } from '../jobs/queries.ts'
import { replay, webhooksKey } from './queries.ts'

/** Sends past events again, from one or from a time on. */
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
  const [start, setStart] = useState<'time' | 'event'>(given === '' ? 'time' : 'event')
  const [time, setTime] = useState('')
  const [event, setEvent] = useState(given)
  const replaying = useMutation({
    mutationFn: () => {
      const from = time === '' ? null : new Date(time).toISOString()
      return replay(id, start === 'time' ? from : event.trim() || null)
    },
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
      task={replaying}
      fields={['after']}
      onClose={onClose}
    >
      <div>
        <Segmented
          label={t('webhooks.replay')}
          value={start}
          onChange={setStart}
          options={[
            { value: 'time', label: t('webhooks.replay.byTime') },
            { value: 'event', label: t('webhooks.replay.byEvent') },
          ]}
        />
      </div>
      {start === 'time' ? (
        <TextField
          key="time"
          label={t('webhooks.replay.time')}
          hint={t('webhooks.replay.timeHint')}
          error={fieldError(replaying.error, 'after')}
          type="datetime-local"
          value={time}
          onChange={setTime}
        />
      ) : (
        <TextField
          key="event"
          label={t('webhooks.replay.after')}
          hint={t('webhooks.replay.hint')}
          error={fieldError(replaying.error, 'after')}
          dir="ltr"
          autoComplete="off"
          spellCheck={false}
          maxLength={64}
          placeholder="evt_…"
          value={event}
          onChange={setEvent}
        />
      )}
    </FormDialog>
  )
}
