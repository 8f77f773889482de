import { useState } from 'react'
import { type MessageKey, useI18n } from '../../i18n/index.tsx'
import { Button } from '../../ui/button.tsx'
import { Section } from '../../ui/page.tsx'
import { SelectField } from '../../ui/select.tsx'
import { Table, Td, Th } from '../../ui/table.tsx'
import { useHosts } from '../domains/hosts.ts'
import { FolderField } from '../links/form/sections/folder-field.tsx'
import type { Options, Preview } from './queries.ts'

/** The products' own names. */
const PRODUCTS: Readonly<Record<string, string>> = {
  slugline: 'Slugline',
  bitly: 'Bitly',
  dub: 'Dub',
  shlink: 'Shlink',
  yourls: 'YOURLS',
  kutt: 'Kutt',
  short_io: 'Short.io',
  rebrandly: 'Rebrandly',
  sink: 'Sink',
  chhoto: 'Chhoto URL',
}

/** The fields that a column can be mapped to. */
const LABELS = {
  destination_url: 'links.field.destination',
  slug: 'links.field.slug',
  short_url: 'imports.shortUrl',
  title: 'links.field.title',
  notes: 'links.field.notes',
  tags: 'links.field.tags',
  clicks: 'links.field.tracking',
  external_id: 'links.field.externalId',
  expires_at: 'links.field.expiresAt',
  created_at: 'links.createdAt',
} as const satisfies Record<string, MessageKey>
const FIELDS = Object.keys(LABELS) as (keyof typeof LABELS)[]

const CONFLICTS = ['skip', 'update', 'rename', 'fail'] as const
const NONE = ''

/** A chosen file: its format, its first records, and the options. */
export function PlanForm({
  file,
  preview,
  busy,
  onCheck,
  onBack,
}: {
  file: File
  preview: Preview
  busy: boolean
  onCheck: (options: Options) => void
  onBack: () => void
}) {
  const i18n = useI18n()
  const { t } = i18n
  const hosts = useHosts()
  const [format, setFormat] = useState<string>(preview.format ?? 'csv')
  const [mapping, setMapping] = useState<Record<string, string>>(preview.mapping)
  const [conflict, setConflict] = useState<Options['on_conflict']>('skip')
  const [domain, setDomain] = useState(hosts[0] ?? '')
  const [folder, setFolder] = useState<string | null>(null)
  const isTable = format === 'csv'
  const ready = !isTable || mapping.destination_url !== undefined

  return (
    <div className="flex flex-col gap-6 pt-4">
      <div className="flex flex-wrap items-end gap-4">
        <div className="min-w-0 flex-1 basis-60">
          <p className="w-fit max-w-full truncate font-medium" dir="auto">
            {file.name}
          </p>
          {preview.format === null ? (
            <p className="text-muted text-sm">{t('imports.unknownFormat')}</p>
          ) : null}
        </div>
        <Button onClick={onBack}>{t('imports.otherFile')}</Button>
      </div>

      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label={t('imports.format')}
          value={format}
          onChange={setFormat}
          options={[
            ...Object.entries(PRODUCTS).map(([value, label]) => ({ value, label })),
            { value: 'csv', label: t('imports.table') },
          ]}
        />
        <ConflictField value={conflict} onChange={setConflict} />
        <FolderField
          value={folder}
          onChange={setFolder}
          {...(format === 'slugline' && { none: t('imports.folderOfFile') })}
        />
        {hosts.length > 1 ? (
          <SelectField
            label={t('links.field.domain')}
            value={domain}
            onChange={setDomain}
            options={hosts.map((value) => ({ value, label: value }))}
          />
        ) : null}
      </div>

      {isTable ? (
        <MappingFields columns={preview.columns} mapping={mapping} onChange={setMapping} />
      ) : null}
      <FirstRecords preview={preview} />

      <div className="flex flex-wrap items-center gap-3">
        <Button
          variant="primary"
          disabled={!ready}
          loading={busy}
          onClick={() =>
            onCheck({
              format,
              mapping: isTable ? mapping : null,
              domain,
              folder_id: folder,
              on_conflict: conflict,
            })
          }
        >
          {t('imports.check')}
        </Button>
        <p className="text-muted text-sm">
          {ready ? t('imports.checkHint') : t('imports.mappingNeeded')}
        </p>
      </div>
    </div>
  )
}

/** What to do if a slug is taken. */
export function ConflictField({
  value,
  onChange,
}: {
  value: Options['on_conflict']
  onChange: (value: Options['on_conflict']) => void
}) {
  const { t } = useI18n()
  return (
    <SelectField
      label={t('imports.conflict')}
      value={value}
      onChange={onChange}
      options={CONFLICTS.map((each) => ({
        value: each,
        label: t(`imports.conflict.${each}` as MessageKey),
      }))}
    />
  )
}

function MappingFields({
  columns,
  mapping,
  onChange,
}: {
  columns: readonly string[]
  mapping: Readonly<Record<string, string>>
  onChange: (mapping: Record<string, string>) => void
}) {
  const { t } = useI18n()
  const choose = (field: string, column: string) => {
    const { [field]: _, ...others } = mapping
    onChange(column === NONE ? others : { ...others, [field]: column })
  }
  return (
    <Section title={t('imports.mapping')}>
      <div className="grid gap-4 sm:grid-cols-3">
        {FIELDS.map((field) => (
          <SelectField
            key={field}
            label={t(LABELS[field])}
            value={mapping[field] ?? NONE}
            onChange={(column) => choose(field, column)}
            options={[
              { value: NONE, label: t('imports.noColumn') },
              ...columns.map((value) => ({ value, label: value })),
            ]}
          />
        ))}
      </div>
    </Section>
  )
}

function FirstRecords({ preview }: { preview: Preview }) {
  const { t } = useI18n()
  return (
    <Section title={t('imports.firstRecords')}>
      <section
        className="overflow-x-auto"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        aria-label={t('imports.firstRecords')}
      >
        <Table>
          <thead>
            <tr>
              {preview.columns.map((column) => (
                <Th key={column}>{column}</Th>
              ))}
            </tr>
          </thead>
          <tbody>
            {preview.records.map((record, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: records have no other key, and stay in order
              <tr key={i}>
                {preview.columns.map((column) => (
                  <Td key={column}>
                    <span dir="auto" className="inline-block max-w-60 truncate align-bottom">
                      {textOf(record[column])}
                    </span>
                  </Td>
                ))}
              </tr>
            ))}
          </tbody>
        </Table>
      </section>
    </Section>
  )
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
