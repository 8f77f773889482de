import { lazy, Suspense } from 'react'
import { useI18n } from '../../../i18n/index.tsx'
import { part } from '../../../lib/part.ts'
import { readable } from '../text.ts'

const QrCode = lazy(() => part(() => import('../qr/code.tsx')))

/** The short URL and its QR code. */
export function LinkPreview({
  base,
  slug,
}: {
  /** `https://go.example.com` */
  base: string
  /** Empty: it will be generated. */
  slug: string
}) {
  const { t } = useI18n()
  const isRandom = slug === ''
  return (
    <div className="flex items-center gap-4 rounded-md bg-sunken p-3 xl:flex-col xl:items-stretch">
      <div className="flex size-18 shrink-0 items-center justify-center rounded-sm bg-white p-1 xl:size-36 xl:self-center xl:p-2">
        <Suspense>
          <QrCode
            text={`${base}/${isRandom ? 'xxxxxxx' : slug}?qr=1`}
            size={128}
            faint={isRandom}
          />
        </Suspense>
      </div>
      <div className="flex min-w-0 flex-1 flex-col gap-1">
        <span className="text-faint text-xs">{t('links.preview')}</span>
        <bdi dir="ltr" className="w-fit font-medium text-lg [overflow-wrap:anywhere]">
          <span className="text-muted">{readable(base)}/</span>
          <wbr />
          {isRandom ? '•••••••' : slug}
        </bdi>
        {isRandom ? <span className="text-faint text-xs">{t('links.slugChosen')}</span> : null}
      </div>
    </div>
  )
}
