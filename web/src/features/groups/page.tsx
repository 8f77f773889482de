import { getRouteApi } from '@tanstack/react-router'
import { useI18n } from '../../i18n/index.tsx'
import { Page } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Folders } from './folders.tsx'
import { Tags } from './tags.tsx'

const route = getRouteApi('/shell/tags')

/** The tags and folders of the workspace. */
export function TagsPage() {
  const { t } = useI18n()
  const { tab } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <Page title={t('tags.pageTitle')}>
      <Tabs
        label={t('tags.pageTitle')}
        value={tab ?? 'tags'}
        onChange={(next) =>
          void navigate({ search: next === 'folders' ? { tab: next } : {}, replace: true })
        }
        tabs={[
          { value: 'tags', label: t('tags.title'), panel: <Tags /> },
          { value: 'folders', label: t('folders.title'), panel: <Folders /> },
        ]}
      />
    </Page>
  )
}
