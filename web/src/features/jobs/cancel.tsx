import { useMutation, useQueryClient } from '@tanstack/react-query'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Button } from '../../ui/button.tsx'
import { useShowError } from '../../ui/toast.tsx'
import { cancelJob, type Job, jobsKey } from './calls.ts'

/** Cancels a running job. */
export function Cancel({ job }: { job: Job }) {
  const i18n = useI18n()
  const showError = useShowError()
  const { workspace } = usePlace()
  const client = useQueryClient()
  const cancel = useMutation({
    mutationFn: () => cancelJob(job.id),
    onSettled: () => client.invalidateQueries({ queryKey: jobsKey(workspace.id) }),
    onError: showError,
  })
  return (
    <Button size="sm" loading={cancel.isPending} onClick={() => cancel.mutate()}>
      {i18n.t('common.cancel')}
    </Button>
  )
}
