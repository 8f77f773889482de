import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { workspaceKey } from '../../api/workspace-key.ts'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { fieldError } from '../../ui/errors.ts'
import { SelectField } from '../../ui/select.tsx'
import { type ApiKey, type MadeKey, rotateKey } from './queries.ts'

const OVERLAPS = ['0', '1', '24', '168'] as const
type Overlap = (typeof OVERLAPS)[number]

/** Makes a key's successor; both work for a while. */
export function RotateDialog({
  apiKey,
  onClose,
  onMade,
}: {
  apiKey: ApiKey
  onClose: () => void
  onMade: (made: MadeKey, overlapHours: number) => void
}) {
  const { t } = useI18n()
  const { workspace } = usePlace()
  const client = useQueryClient()
  const [overlap, setOverlap] = useState<Overlap>('24')
  const rotate = useMutation({
    mutationFn: () => rotateKey(apiKey.id, Number(overlap)),
    onSuccess(made) {
      void client.invalidateQueries({ queryKey: workspaceKey(workspace.id, 'keys') })
      onMade(made, Number(overlap))
    },
  })
  return (
    <FormDialog
      title={t('keys.rotate.title', { name: apiKey.name })}
      description={t('keys.rotate.text')}
      action={t('keys.rotate.submit')}
      task={rotate}
      fields={['overlap_seconds']}
      onClose={onClose}
    >
      <SelectField
        label={t('keys.rotate.overlap')}
        error={fieldError(rotate.error, 'overlap_seconds')}
        value={overlap}
        onChange={setOverlap}
        options={OVERLAPS.map((value) => ({ value, label: t(`keys.rotate.${value}`) }))}
      />
    </FormDialog>
  )
}
