import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { workspaceKey } from '../../../api/workspace-key.ts'
import { usePlace } from '../../../app/workspace.tsx'
import { useI18n } from '../../../i18n/index.tsx'
import { ConfirmDialog } from '../../../ui/dialog.tsx'
import { fieldError } from '../../../ui/errors.ts'
import { TextField } from '../../../ui/text-field.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { clicksBeforeQuery, deleteClicks, type Link } from '../queries.ts'
import { nameOf } from '../text.ts'

/** Asks before which day a link's clicks are deleted, and shows how many those are. */
export function DeleteClicks({ link, onClose }: { link: Link; onClose: () => void }) {
  const { t } = useI18n()
  const { workspace } = usePlace()
  const client = useQueryClient()
  const [day, setDay] = useState('')
  // The day begins in the person's time zone.
  const before = day === '' ? null : new Date(`${day}T00:00`).toISOString()
  const { data: count } = useQuery(clicksBeforeQuery(workspace.id, link, before))
  const remove = async () => {
    await deleteClicks(link.id, before ?? '')
    showToast({ title: t('links.clicks.deleted') })
    await client.invalidateQueries({ queryKey: workspaceKey(workspace.id) })
  }
  return (
    <ConfirmDialog
      onClose={onClose}
      title={t('links.clicks.delete.title', { name: nameOf(link) })}
      description={t('links.clicks.delete.text')}
      action={t('links.clicks.delete')}
      onConfirm={remove}
      fields={['before']}
    >
      {(error) => (
        <>
          <TextField
            label={t('links.clicks.delete.before')}
            error={fieldError(error, 'before')}
            type="date"
            value={day}
            onChange={setDay}
          />
          <p role="status" className="min-h-5 font-medium">
            {before === null || count === undefined
              ? null
              : t('links.clicks.delete.count', { count })}
          </p>
        </>
      )}
    </ConfirmDialog>
  )
}
