import { useI18n } from '../../../i18n/index.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import type { Link } from '../queries.ts'
import { nameOf } from '../text.ts'
import { QrPanel } from './panel.tsx'

/** The code of a link, over the page. */
export function QrDialog({ link, onClose }: { link: Link; onClose: () => void }) {
  const { t } = useI18n()
  return (
    <Dialog
      shape="wide"
      title={t('links.qr.title')}
      description={<bdi dir="ltr">{nameOf(link)}</bdi>}
      onClose={onClose}
    >
      <QrPanel link={link} />
    </Dialog>
  )
}
