import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { usePlace, useSessionChanged } from '../../../app/workspace.tsx'
import { useI18n } from '../../../i18n/index.tsx'
import { LANGUAGE_NAMES, LOCALES } from '../../../i18n/locales.ts'
import { Button } from '../../../ui/button.tsx'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { CodeBlock } from '../../../ui/copy.tsx'
import { FormError } from '../../../ui/field.tsx'
import { CardSection, Page } from '../../../ui/page.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { SelectField } from '../../../ui/select.tsx'
import { Loading, Skeleton } from '../../../ui/skeleton.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { fieldError, formError } from '../../auth/errors.ts'
import { changeWorkspace, type Workspace, workspaceQuery } from '../calls.ts'
import { DeleteWorkspace } from './delete.tsx'
import { LogoSection } from './logo.tsx'
import { NetworksSection } from './networks.tsx'

/** The workspace's name and language, and its end. */
export function WorkspacePage() {
  const { t } = useI18n()
  const { workspace, may } = usePlace()
  const query = useQuery(workspaceQuery(workspace.id))
  const manages = may('workspace:manage')
  return (
    <Page narrow title={t('settings.title')}>
      {query.isError ? (
        <Problem error={query.error} onRetry={() => void query.refetch()} />
      ) : query.isPending ? (
        <div className="flex flex-col gap-4 overflow-hidden">
          <Loading label={t('common.loading')} />
          <Skeleton className="h-8 w-80" />
          <Skeleton className="h-8 w-80" />
        </div>
      ) : (
        <div className="flex flex-col gap-5">
          <CardSection title={t('settings.workspace.general')}>
            <WorkspaceForm key={query.data.id} workspace={query.data} manages={manages} />
          </CardSection>
          <LogoSection writable={may('links:write')} />
          <NetworksSection manages={manages} />
          <CardSection title={t('settings.workspace.id')}>
            <CodeBlock code={query.data.id} className="max-w-md" />
          </CardSection>
          {manages ? <DeleteWorkspace workspace={query.data} /> : null}
        </div>
      )}
    </Page>
  )
}

const NONE = 'none'

function WorkspaceForm({ workspace, manages }: { workspace: Workspace; manages: boolean }) {
  const i18n = useI18n()
  const { t } = i18n
  const client = useQueryClient()
  const sessionChanged = useSessionChanged()
  const [name, setName] = useState(workspace.name)
  const [language, setLanguage] = useState(workspace.language ?? NONE)
  const [demands, setDemands] = useState(workspace.require_two_factor)
  const save = useMutation({
    mutationFn: () =>
      changeWorkspace({
        name,
        language: language === NONE ? null : language,
        require_two_factor: demands,
      }),
    async onSuccess(changed) {
      await sessionChanged()
      client.setQueryData(workspaceQuery(workspace.id).queryKey, changed)
      showToast({ title: t('common.saved') })
    },
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    save.mutate()
  }
  const { error } = save
  return (
    <form onSubmit={submit} className="flex max-w-md flex-col gap-5">
      {manages ? null : <p className="text-muted">{t('settings.workspace.readOnly')}</p>}
      <FormError message={formError(error, i18n, ['name', 'language'])} />
      <TextField
        label={t('settings.workspace.name')}
        error={fieldError(error, 'name')}
        required
        disabled={!manages}
        value={name}
        onChange={setName}
      />
      <SelectField
        label={t('settings.workspace.language')}
        hint={t('settings.workspace.language.hint')}
        error={fieldError(error, 'language')}
        disabled={!manages}
        value={language}
        onChange={setLanguage}
        options={[
          { value: NONE, label: t('settings.workspace.language.none') },
          ...LOCALES.map((value) => ({
            value: value as string,
            label: LANGUAGE_NAMES[value],
          })),
        ]}
      />
      <Checkbox
        checked={demands}
        disabled={!manages}
        onChange={setDemands}
        label={t('settings.workspace.twoFactor')}
        hint={t('settings.workspace.twoFactor.hint')}
      />
      {manages ? (
        <Button type="submit" variant="primary" className="self-start" loading={save.isPending}>
          {t('common.save')}
        </Button>
      ) : null}
    </form>
  )
}
