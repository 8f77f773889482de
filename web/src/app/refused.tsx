import { Lock } from 'lucide-react'
import { useI18n } from '../i18n/index.tsx'
import { Empty } from '../ui/empty.tsx'
import { Page } from '../ui/page.tsx'

/** The page shown if the person's role doesn't permit another: who may see it, and whom to ask. */
export function Refused({
  title,
  text,
  ofInstance = false,
}: {
  title: string
  text: string
  /** Nobody in the workspace can permit it. */
  ofInstance?: boolean
}) {
  const { t } = useI18n()
  return (
    <Page title={title}>
      <Empty icon={<Lock size={28} />} title={t('common.refused')}>
        <p>{text}</p>
        {ofInstance ? null : <p>{t('common.refusedHint')}</p>}
      </Empty>
    </Page>
  )
}
