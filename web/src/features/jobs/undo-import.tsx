import { useQueryClient } from '@tanstack/react-query'
import { Undo2 } from 'lucide-react'
import { useState } from 'react'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { type Job, showJob, undoImport } from './queries.ts'

/** Undoes an import after a question: links that it created are deleted. */
export function UndoImport({
  job,
  label,
  size = 'md',
  onStarted,
}: {
  job: Job
  label: string
  size?: 'sm' | 'md'
  onStarted?: (undo: Job) => void
}) {
  const { t } = useI18n()
  const { workspace } = usePlace()
  const client = useQueryClient()
  const [asking, setAsking] = useState(false)
  const undo = async () => {
    const started = await undoImport(job.id)
    showJob(client, workspace.id, started)
    onStarted?.(started)
  }
  return (
    <>
      <Button size={size} icon={<Undo2 />} onClick={() => setAsking(true)}>
        {label}
      </Button>
      {asking ? (
        <ConfirmDialog
          onClose={() => setAsking(false)}
          title={t('jobs.undo.title')}
          description={t('jobs.undo.text')}
          action={t('imports.undo')}
          onConfirm={undo}
        />
      ) : null}
    </>
  )
}
