import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { usePlace } from '../../app/workspace.tsx'
import { useI18n } from '../../i18n/index.tsx'
import { download } from '../../lib/download.ts'
import { Button } from '../../ui/button.tsx'
import { Chip, type Tone } from '../../ui/chip.tsx'
import { Section } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Table, Td, Th } from '../../ui/table.tsx'
import { useAction } from '../../ui/toast.tsx'
import { kindOf } from '../jobs/kind.ts'
import type { Job } from '../jobs/queries.ts'
import { type Row, rowsQuery } from './queries.ts'

const TONES: Readonly<Record<string, Tone>> = { refused: 'bad', renamed: 'warn' }

/** The records with messages, and all of them as a file. */
export function Rows({ job }: { job: Job }) {
  const { t } = useI18n()
  const { workspace } = usePlace()
  const isUndo = kindOf(job) === 'undo'
  const id = isUndo ? String(job.result?.import_id ?? '') : job.id
  const rows = useQuery({ ...rowsQuery(workspace.id, id, isUndo), enabled: id !== '' })
  const save = useAction(() =>
    download(`/api/v1/imports/${id}/rows.csv`, isUndo ? { undo: 'kept' } : {}, fileNameOf(job)),
  )
  if (rows.error) return <Problem error={rows.error} onRetry={() => rows.refetch()} />
  if (rows.data === undefined || (rows.data.data.length === 0 && isUndo)) return null
  const { data, pagination } = rows.data
  const omitted = job.result?.rows_omitted ?? 0
  return (
    <Section
      title={t('imports.notable')}
      description={
        omitted > 0
          ? t('imports.omitted', { count: omitted })
          : pagination.has_more
            ? t('imports.more')
            : data.length === 0
              ? t('common.none')
              : undefined
      }
      actions={
        <Button
          size="sm"
          loading={save.isPending}
          icon={<Download />}
          onClick={() => save.mutate()}
        >
          {t('imports.download')}
        </Button>
      }
    >
      {data.length === 0 ? null : <RowTable rows={data} isUndo={isUndo} />}
    </Section>
  )
}

/** A name for the file of an import's rows, after that of the import. */
function fileNameOf({ id, name }: Job): string {
  return `${name?.replace(/\.\w+$/, '') ?? id}-rows.csv`
}

function RowTable({ rows, isUndo }: { rows: readonly Row[]; isUndo: boolean }) {
  const { t, format } = useI18n()
  return (
    <Table className="max-sm:block">
      <thead className="max-sm:hidden">
        <tr>
          <Th end>{t('imports.row')}</Th>
          <Th>{t('links.field.status')}</Th>
          <Th>{t('links.field.slug')}</Th>
          <Th>{t('links.field.reason')}</Th>
        </tr>
      </thead>
      <tbody className="max-sm:block">
        {rows.map((row) => {
          const status = isUndo ? 'kept' : row.status
          return (
            <tr
              key={row.row}
              className="max-sm:flex max-sm:flex-wrap max-sm:items-center max-sm:gap-x-3 max-sm:border-line max-sm:border-b max-sm:py-2"
            >
              <Td
                end
                className="w-0 text-faint max-sm:h-auto max-sm:w-auto max-sm:border-0 max-sm:px-0"
              >
                {format.number(row.row)}
              </Td>
              <Td className="w-0 max-sm:h-auto max-sm:w-auto max-sm:border-0 max-sm:px-0">
                <Chip tone={TONES[status] ?? 'neutral'}>{t(`imports.number.${status}`)}</Chip>
              </Td>
              <Td
                className="max-sm:h-auto max-sm:border-0 max-sm:px-0"
                title={row.destination_url ?? undefined}
              >
                <Record row={row} />
              </Td>
              <Td className="text-muted max-sm:h-auto max-sm:basis-full max-sm:border-0 max-sm:px-0">
                {format.sentences(
                  [...row.reasons, ...(row.warnings ?? [])].map(({ message }) => message),
                )}
              </Td>
            </tr>
          )
        })}
      </tbody>
    </Table>
  )
}

/** A record by its slug, which leads to its link if there is one. */
function Record({ row: { slug, destination_url, link_id: id } }: { row: Row }) {
  const className = 'inline-block max-w-60 truncate align-bottom'
  const name = slug ?? destination_url ?? ''
  return id === null ? (
    <span dir="auto" className={className}>
      {name}
    </span>
  ) : (
    <Link to="/links/$id" params={{ id }} dir="auto" className={`${className} hover:underline`}>
      {name}
    </Link>
  )
}
