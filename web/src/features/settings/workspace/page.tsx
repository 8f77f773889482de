import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { usePlace, useSessionChanged } from '../../../app/workspace.tsx'
import { useI18n } from '../../../i18n/index.tsx'
import { isLocale, LANGUAGE_OPTIONS } from '../../../i18n/locales.ts'
import { Answer } from '../../../ui/answer.tsx'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { CodeBlock } from '../../../ui/copy.tsx'
import { fieldError } from '../../../ui/errors.ts'
import { Form, Submit } from '../../../ui/form.tsx'
import { CardSection, Page } from '../../../ui/page.tsx'
import { SelectField } from '../../../ui/select.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { showToast } from '../../../ui/toast.tsx'
import {
  SLUG_FIELDS,
  SlugSettingsFields,
  slugDraftOf,
  slugPatchOf,
} from '../../domains/slug-fields.tsx'
import { changeWorkspace, type Workspace, workspaceQuery } from '../queries.ts'
import { DeleteWorkspace } from './delete.tsx'
import { LogoSection } from './logo.tsx'
import { NetworksSection } from './networks.tsx'

/** The workspace's name and language, and its deletion. */
export function WorkspacePage() {
  const { t } = useI18n()
  const { workspace, may } = usePlace()
  const query = useQuery(workspaceQuery(workspace.id))
  const manages = may('workspace:manage')
  return (
    <Page narrow title={t('settings.title')}>
      <Answer of={query}>
        {(whole) => (
          <div className="flex flex-col gap-5">
            <CardSection title={t('settings.workspace.general')}>
              <WorkspaceForm key={whole.id} workspace={whole} manages={manages} />
            </CardSection>
            <LogoSection writable={may('links:write')} />
            <NetworksSection manages={manages} />
            <CardSection title={t('settings.workspace.id')}>
              <CodeBlock code={whole.id} className="max-w-md" />
            </CardSection>
            {manages ? <DeleteWorkspace workspace={whole} /> : null}
          </div>
        )}
      </Answer>
    </Page>
  )
}

const NONE = 'none'

function WorkspaceForm({ workspace, manages }: { workspace: Workspace; manages: boolean }) {
  const { t } = useI18n()
  const client = useQueryClient()
  const sessionChanged = useSessionChanged()
  const [name, setName] = useState(workspace.name)
  const [language, setLanguage] = useState(workspace.language ?? NONE)
  const [demands, setDemands] = useState(workspace.require_two_factor)
  const [slugs, setSlugs] = useState(() => slugDraftOf(workspace))
  const save = useMutation({
    mutationFn: () =>
      changeWorkspace({
        name,
        language: isLocale(language) ? language : null,
        require_two_factor: demands,
        ...slugPatchOf(slugs),
      }),
    async onSuccess(changed) {
      await sessionChanged()
      client.setQueryData(workspaceQuery(workspace.id).queryKey, changed)
      showToast({ title: t('common.saved') })
    },
  })
  const { error } = save
  return (
    <Form
      task={save}
      fields={['name', 'language', ...SLUG_FIELDS]}
      className="flex max-w-md flex-col gap-5"
    >
      {manages ? null : <p className="text-muted">{t('settings.workspace.readOnly')}</p>}
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
          ...LANGUAGE_OPTIONS,
        ]}
      />
      <SlugSettingsFields
        draft={slugs}
        set={(change) => setSlugs({ ...slugs, ...change })}
        error={error}
        disabled={!manages}
        hint={t('domains.slugs.shared')}
      />
      <Checkbox
        checked={demands}
        disabled={!manages}
        onChange={setDemands}
        label={t('settings.workspace.twoFactor')}
        hint={t('settings.workspace.twoFactor.hint')}
      />
      {manages ? (
        <Submit of={save} className="self-start">
          {t('common.save')}
        </Submit>
      ) : null}
    </Form>
  )
}
