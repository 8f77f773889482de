import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { usePlace } from '../../../app/workspace.tsx'
import { useI18n } from '../../../i18n/index.tsx'
import { Answer } from '../../../ui/answer.tsx'
import { fieldsWithin } from '../../../ui/errors.ts'
import { Form, Submit } from '../../../ui/form.tsx'
import { NetworksField, networksOf } from '../../../ui/networks-field.tsx'
import { CardSection } from '../../../ui/page.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { excludedNetworksQuery, setExcludedNetworks } from '../queries.ts'

/** Networks whose visits aren't counted, one per line. */
export function NetworksSection({ manages }: { manages: boolean }) {
  const { t } = useI18n()
  const { workspace } = usePlace()
  const networks = useQuery(excludedNetworksQuery(workspace.id))
  return (
    <CardSection title={t('settings.networks')}>
      <Answer of={networks} loading={<Skeleton className="h-24 w-full max-w-md" />}>
        {(data) => <NetworksForm networks={data.networks} manages={manages} />}
      </Answer>
    </CardSection>
  )
}

function NetworksForm({ networks, manages }: { networks: readonly string[]; manages: boolean }) {
  const { t } = useI18n()
  const { workspace } = usePlace()
  const client = useQueryClient()
  const [text, setText] = useState(networks.join('\n'))
  const save = useMutation({
    mutationFn: () => setExcludedNetworks(networksOf(text)),
    onSuccess(saved) {
      client.setQueryData(excludedNetworksQuery(workspace.id).queryKey, saved)
      setText(saved.networks.join('\n'))
      showToast({ title: t('common.saved') })
    },
  })
  const { error } = save
  return (
    <Form
      task={save}
      fields={fieldsWithin(error, 'networks')}
      className="flex max-w-md flex-col gap-3"
    >
      <NetworksField
        label={t('settings.networks.label')}
        hint={t('settings.networks.hint')}
        error={error}
        field="networks"
        disabled={!manages}
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
