import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useI18n } from '../../i18n/index.tsx'
import { download } from '../../lib/download.ts'
import { Button } from '../../ui/button.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { useShowError } from '../../ui/toast.tsx'
import { pathOf, queryOf, rangeOf } from './calls.ts'
import type { Report } from './use-report.ts'

const FORMATS = ['csv', 'ndjson', 'parquet'] as const

/** Downloads all clicks of the report. */
export function Export({ report: { question, period } }: { report: Report }) {
  const { t } = useI18n()
  const showError = useShowError()
  const save = useMutation({
    mutationFn: (format: (typeof FORMATS)[number]) =>
      download(
        `${pathOf(question)}/clicks.${format}`,
        { ...queryOf(question), ...rangeOf(period, question.zone) },
        `clicks-${period.from}.${format}`,
      ),
    onError: showError,
  })
  return (
    <Menu
      trigger={
        <Button brief icon={<Download size={14} aria-hidden="true" />} loading={save.isPending}>
          {t('statistics.export')}
        </Button>
      }
    >
      {FORMATS.map((format) => (
        <MenuItem key={format} onClick={() => save.mutate(format)}>
          {t(`statistics.export.${format}`)}
        </MenuItem>
      ))}
    </Menu>
  )
}
