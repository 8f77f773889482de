import { useQuery } from '@tanstack/react-query'
import { CircleAlert, CircleCheck } from 'lucide-react'
import { workspaceKey } from '../../../api/workspace-key.ts'
import { usePlace } from '../../../app/workspace.tsx'
import { useI18n } from '../../../i18n/index.tsx'
import { cx } from '../../../ui/cx.ts'
import { errorText } from '../../../ui/errors.ts'
import { FIELD_NAMES } from '../details/field-names.ts'
import { TRIED_MAX, type Tried } from '../queries.ts'

/** The dry run of a change of many links. */
export function Forecast({
  change,
  count,
  ask,
}: {
  /** The change; another one starts a new dry run. */
  change: unknown
  /** The number of links. */
  count: number
  ask: () => Promise<Tried>
}) {
  const i18n = useI18n()
  const { t, format } = i18n
  const { workspace } = usePlace()
  const { data, error } = useQuery({
    queryKey: workspaceKey(workspace.id, 'links', 'forecast', change),
    queryFn: ask,
    // Not cached: others may have changed what it depends on.
    gcTime: 0,
    retry: false,
  })
  // Reserves the space of the result.
  const box = cx('flex flex-col gap-1 text-sm', count > TRIED_MAX && 'min-h-11')
  if (data === undefined) {
    return (
      <p role="status" className={cx(box, 'text-muted')}>
        {error === null ? t('common.loading') : errorText(error, i18n)}
      </p>
    )
  }
  const { succeeded, failed, reasons } = data
  const tried = succeeded + failed
  const told = reasons.map(({ field, message }) => {
    // Fields of operations include their path.
    const name = FIELD_NAMES[field.split('.').at(-1) ?? '']
    return name ? t('common.labelled', { label: t(name), value: message }) : message
  })
  return (
    <div role="status" className={box}>
      {succeeded > 0 ? (
        <p className="flex gap-1.5">
          <CircleCheck className="mt-0.75 shrink-0 text-ok" />
          {t('links.bulk.works', { count: succeeded })}
        </p>
      ) : null}
      {failed > 0 ? (
        <p className="flex gap-1.5 text-bad">
          <CircleAlert className="mt-0.75 shrink-0" />
          <span>{format.sentences([t('links.bulk.fails', { count: failed }), ...told])}</span>
        </p>
      ) : null}
      {tried < count ? (
        <p className="text-muted">{t('links.bulk.tried', { count: tried })}</p>
      ) : null}
    </div>
  )
}
