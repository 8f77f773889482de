import { CircleAlert, CircleCheck } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { useI18n } from '../../../i18n/index.tsx'
import { part } from '../../../lib/part.ts'
import { Chip } from '../../../ui/chip.tsx'
import { readable } from '../text.ts'

const QrCode = lazy(() => part(() => import('../qr/code.tsx')))

/** The short URL and its QR code. */
export function LinkPreview({
  base,
  slug,
  state,
  suggestions,
  onSuggestion,
}: {
  /** `https://go.example.com` */
  base: string
  /** Empty: it will be generated. */
  slug: string
  state: 'free' | 'taken' | 'invalid' | 'unknown'
  suggestions: readonly string[]
  onSuggestion: (slug: string) => void
}) {
  const { t } = useI18n()
  const name = slug === '' ? '•••••••' : slug
  return (
    <div className="flex flex-col gap-3 rounded-md bg-sunken p-3">
      <div className="flex items-center gap-4">
        <div className="flex size-18 shrink-0 items-center justify-center rounded-sm bg-white p-1">
          <Suspense>
            <QrCode
              text={`${base}/${slug === '' ? 'xxxxxxx' : slug}?qr=1`}
              size={64}
              faint={slug === ''}
            />
          </Suspense>
        </div>
        <div className="flex min-w-0 flex-1 flex-col gap-1">
          <span className="text-faint text-xs">{t('links.preview')}</span>
          <bdi dir="ltr" className="w-fit font-medium text-lg [overflow-wrap:anywhere]">
            <span className="text-muted">{readable(base)}/</span>
            <wbr />
            {name}
          </bdi>
          <span role="status" className="flex items-center gap-1 text-xs">
            {state === 'free' ? (
              <>
                <CircleCheck size={13} className="text-ok" />
                <span className="text-ok">{t('links.slugFree')}</span>
              </>
            ) : state === 'taken' || state === 'invalid' ? (
              <>
                <CircleAlert size={13} className="text-bad" />
                <span className="text-bad">
                  {t(state === 'taken' ? 'links.slugNotFree' : 'links.slugInvalid')}
                </span>
              </>
            ) : slug === '' ? (
              <span className="text-faint">{t('links.slugChosen')}</span>
            ) : null}
          </span>
        </div>
      </div>
      {suggestions.length > 0 ? (
        <div className="flex flex-wrap items-center gap-1.5 text-xs">
          <span className="text-faint">{t('links.suggestions')}</span>
          {suggestions.map((one) => (
            <Chip key={one} tone="accent" onClick={() => onSuggestion(one)}>
              {one}
            </Chip>
          ))}
        </div>
      ) : null}
    </div>
  )
}
