import { useQuery } from '@tanstack/react-query'
import { ChevronDown } from 'lucide-react'
import { useState } from 'react'
import { usePlace } from '../../../../app/workspace.tsx'
import { useI18n } from '../../../../i18n/index.tsx'
import { cx } from '../../../../ui/cx.ts'
import { Field } from '../../../../ui/field.tsx'
import { CONTROL } from '../../../../ui/input.tsx'
import { FolderList } from '../../../groups/folder-list.tsx'
import { folderQuery } from '../../../groups/queries.ts'

/** The folder of a link; the list opens below. */
export function FolderField({
  value,
  onChange,
  error,
  none,
}: {
  value: string | null
  onChange: (id: string | null) => void
  error?: string | undefined
  /** What it means to choose none. */
  none?: string
}) {
  const { t } = useI18n()
  const { workspace } = usePlace()
  const [open, setOpen] = useState(false)
  const { data } = useQuery(folderQuery(workspace.id, value ?? ''))
  return (
    <Field label={t('links.field.folder')} error={error}>
      {(control) => (
        <>
          <button
            {...control}
            type="button"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
            className={cx(
              CONTROL,
              'flex h-8 items-center justify-between gap-2 px-2.5 text-start pointer-coarse:h-10',
            )}
          >
            <bdi className="truncate">
              {value === null ? (none ?? t('folders.none')) : (data?.name ?? '…')}
            </bdi>
            <ChevronDown className="shrink-0 text-faint" />
          </button>
          {open ? (
            <FolderList
              value={value ?? 'none'}
              {...(none !== undefined && { none })}
              onChoose={(_, folder) => {
                setOpen(false)
                onChange(folder?.id ?? null)
              }}
            />
          ) : null}
        </>
      )}
    </Field>
  )
}
