import { useI18n } from '../../../i18n/index.tsx'
import { Tooltip } from '../../../ui/tooltip.tsx'
import type { Link } from '../queries.ts'

/** The clicks that a link had before it was imported, below those counted here. */
export function ImportedClicks({ link }: { link: Link }) {
  const { t, format } = useI18n()
  const { imported } = link.clicks
  if (imported === 0) return null
  const text = t('links.imported', { count: imported })
  return (
    <Tooltip text={text}>
      <span data-testid="imported" className="tabular block font-normal text-faint text-xs">
        <span aria-hidden="true" dir="ltr">
          +{format.compact(imported)}
        </span>
        <span className="sr-only">{text}</span>
      </span>
    </Tooltip>
  )
}
