import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '../../../api/errors.ts'
import { usePlace } from '../../../app/workspace.tsx'
import { useI18n } from '../../../i18n/index.tsx'
import { Form, Submit } from '../../../ui/form.tsx'
import { CardSection } from '../../../ui/page.tsx'
import { TextareaField } from '../../../ui/text-field.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { excludedNetworksQuery, setExcludedNetworks } from '../calls.ts'

/** Networks whose visits aren't counted, one per line. */
export function NetworksSection({ manages }: { manages: boolean }) {
  const { t } = useI18n()
  const { workspace } = usePlace()
  const { data } = useQuery(excludedNetworksQuery(workspace.id))
  if (data === undefined) return null
  return (
    <CardSection title={t('settings.networks')}>
      <NetworksForm networks={data.networks} manages={manages} />
    </CardSection>
  )
}

function NetworksForm({ networks, manages }: { networks: readonly string[]; manages: boolean }) {
  const { t, format } = useI18n()
  const { workspace } = usePlace()
  const client = useQueryClient()
  const [text, setText] = useState(networks.join('\n'))
  const lines = text.split(/[\s,]+/).filter((line) => line !== '')
  const save = useMutation({
    mutationFn: () => setExcludedNetworks(lines),
    onSuccess(saved) {
      client.setQueryData(excludedNetworksQuery(workspace.id).queryKey, saved)
      setText(saved.networks.join('\n'))
      showToast({ title: t('common.saved') })
    },
  })
  const { error } = save
  const details = error instanceof ApiError ? error.details : []
  const wrong = details.map(({ field, message }) => {
    const at = Number(/\[(\d+)\]/.exec(field)?.[1] ?? Number.NaN)
    const label = lines[at]
    return label === undefined ? message : t('common.labelled', { label, value: message })
  })
  return (
    <Form
      task={save}
      fields={details.map(({ field }) => field)}
      className="flex max-w-md flex-col gap-3"
    >
      <TextareaField
        label={t('settings.networks.label')}
        hint={t('settings.networks.hint')}
        error={wrong.length > 0 ? format.sentences(wrong) : undefined}
        dir="ltr"
        rows={4}
        disabled={!manages}
        placeholder={'192.0.2.0/24\n2001:db8::/32'}
        value={text}
        onChange={setText}
      />
      {manages ? (
        <Submit of={save} variant="secondary" className="self-start">
          {t('common.save')}
        </Submit>
      ) : null}
    </Form>
  )
}
