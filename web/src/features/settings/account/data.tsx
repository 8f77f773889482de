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
        className="gap-1.5 self-start"
        disabled={save.isPending}
        onClick={() => save.mutate()}
      >
        <Download size={16} />
        {t('settings.data.download')}
      </Button>
    </CardSection>
  )
}
