import { Share2 } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { part } from '../../lib/part.ts'
import { Button } from '../../ui/button.tsx'
import type { NewShare } from './dialog.tsx'

const ShareDialog = lazy(() => part(() => import('./dialog.tsx')))

/** Shares what a page shows; renders nothing without the permission. */
export function ShareButton({ fresh }: { fresh: NewShare }) {
  const { t } = useI18n()
  const { may } = usePlace()
  const [open, setOpen] = useState(false)
  if (!may('links:write')) return null
  return (
    <>
      <Button brief icon={<Share2 />} onClick={() => setOpen(true)}>
        {t('shares.share')}
      </Button>
      <ShareThis fresh={open ? fresh : null} onClose={() => setOpen(false)} />
    </>
  )
}

/** The dialog that shares something; null: closed. */
export function ShareThis({ fresh, onClose }: { fresh: NewShare | null; onClose: () => void }) {
  if (fresh === null) return null
  return (
    <Suspense>
      <ShareDialog fresh={fresh} onClose={onClose} />
    </Suspense>
  )
}
