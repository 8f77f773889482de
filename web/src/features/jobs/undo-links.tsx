import { useQueryClient } from '@tanstack/react-query'
import { Undo2 } from 'lucide-react'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Button } from '../../ui/button.tsx'
import { useAction } from '../../ui/toast.tsx'
import { type Job, showJob, undoByFilter } from './queries.ts'

/** Undoes a bulk update, as a job. */
export function UndoLinks({ job, onStarted }: { job: Job; onStarted?: () => void }) {
  const { t } = useI18n()
  const { workspace } = usePlace()
  const client = useQueryClient()
  const undo = useAction(
    () => undoByFilter(job.id),
    (started) => {
      showJob(client, workspace.id, started)
      onStarted?.()
    },
  )
  return (
    <Button size="sm" icon={<Undo2 />} loading={undo.isPending} onClick={() => undo.mutate()}>
      {t('common.undo')}
    </Button>
  )
}
