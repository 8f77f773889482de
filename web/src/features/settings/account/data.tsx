import { Download } from 'lucide-react'
import { useI18n } from '../../../i18n/index.tsx'
import { download } from '../../../lib/download.ts'
import { Button } from '../../../ui/button.tsx'
import { CardSection } from '../../../ui/page.tsx'
import { useAction } from '../../../ui/toast.tsx'

/** Downloads what is stored about the person. */
export function DataSection() {
  const { t } = useI18n()
  const save = useAction(() => download('/api/v1/account/data.ndjson', {}, 'account.ndjson'))
  return (
    <CardSection title={t('settings.data')} description={t('settings.data.text')}>
      <Button
        variant="secondary"
        className="self-start"
        icon={<Download />}
        loading={save.isPending}
        onClick={() => save.mutate()}
      >
        {t('settings.data.download')}
      </Button>
    </CardSection>
  )
}
