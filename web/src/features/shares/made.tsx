import { ExternalLink } from 'lucide-react'
import { useI18n } from '../../i18n/index.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { CodeBlock, CopyButton } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import type { Share } from './queries.ts'
import { embedCode } from './words.ts'

/** The URL of a new share, and the code to embed it. */
export function Made({ share, onClose }: { share: Share; onClose: () => void }) {
  const { t } = useI18n()
  return (
    <Dialog
      onClose={onClose}
      title={t('shares.ready')}
      footer={
        <>
          <a href={share.url} target="_blank" rel="noreferrer" className={buttonClass('secondary')}>
            <ExternalLink />
            {t('shares.open')}
          </a>
          <Button variant="primary" onClick={onClose}>
            {t('common.close')}
          </Button>
        </>
      }
    >
      <section className="flex flex-col gap-1.5" aria-label={t('shares.link')}>
        <h3 className="font-medium text-sm">{t('shares.link')}</h3>
        <p
          dir="ltr"
          className="rounded-sm border border-line bg-sunken px-3 py-2 font-mono text-sm [overflow-wrap:anywhere]"
        >
          {share.url}
        </p>
        <CopyButton text={share.url} label={t('shares.copyLink')} words className="self-start" />
      </section>
      <section className="flex flex-col gap-1.5" aria-label={t('shares.embed')}>
        <h3 className="font-medium text-sm">{t('shares.embed')}</h3>
        <CodeBlock code={embedCode(share.url)} />
      </section>
    </Dialog>
  )
}
