import { Link2, SearchX } from 'lucide-react'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { Empty } from '../../ui/empty.tsx'

/** A workspace without links: the one next step, by hand or by program. */
export function NoLinks({ writable, onCreate }: { writable: boolean; onCreate: () => void }) {
  const { t } = useI18n()
  const { instance } = usePlace()
  const curl = [
    `curl ${instance.base_url.replace(/\/$/, '')}/api/v1/links \\`,
    '  -H "Authorization: Bearer $SLUGLINE_KEY" \\',
    '  --json \'{"destination_url":"https://example.com/"}\'',
  ].join('\n')
  return (
    <Empty
      icon={<Link2 size={28} aria-hidden="true" />}
      title={t('links.none')}
      action={
        writable ? (
          <Button variant="primary" onClick={onCreate}>
            {t('links.createFirst')}
          </Button>
        ) : null
      }
      program={
        writable ? (
          <>
            <p className="text-sm">{t('links.noneCurl')}</p>
            <CodeBlock code={curl} />
          </>
        ) : null
      }
    >
      <p>{writable ? t('links.noneHint') : t('links.noneViewer')}</p>
    </Empty>
  )
}

/** Nothing matches. */
export function NothingFound({ onClear, paged }: { onClear: () => void; paged: boolean }) {
  const { t } = useI18n()
  return (
    <Empty
      icon={<SearchX size={28} aria-hidden="true" />}
      title={paged ? t('links.pageEmpty') : t('links.notFound')}
      action={<Button onClick={onClear}>{t('links.showAll')}</Button>}
    >
      {paged ? null : <p>{t('links.notFoundHint')}</p>}
    </Empty>
  )
}
