import { useQueryClient } from '@tanstack/react-query'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Button } from '../../ui/button.tsx'
import { useAction } from '../../ui/toast.tsx'
import { cancelJob, type Job, jobsKey } from './queries.ts'

/** Cancels a running job. */
export function Cancel({ job }: { job: Job }) {
  const { t } = useI18n()
  const { workspace } = usePlace()
  const client = useQueryClient()
  const changed = () => client.invalidateQueries({ queryKey: jobsKey(workspace.id) })
  const cancel = useAction(() => cancelJob(job.id).finally(changed))
  return (
    <Button size="sm" loading={cancel.isPending} onClick={() => cancel.mutate()}>
      {t('common.cancel')}
    </Button>
  )
}
