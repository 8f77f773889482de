import { Download } from 'lucide-react'
import { useI18n } from '../../../i18n/index.tsx'
import { download } from '../../../lib/download.ts'
import { IconButton } from '../../../ui/button.tsx'
import { Menu, MenuItem } from '../../../ui/menu.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import { useAction } from '../../../ui/toast.tsx'
import { exportQuery } from '../queries.ts'
import type { LinksSearch } from '../search.ts'

const FORMATS = ['csv', 'excel', 'ndjson'] as const

/** Downloads all matches of the list. */
export function Export({ search }: { search: LinksSearch }) {
  const { t } = useI18n()
  const save = useAction((format: (typeof FORMATS)[number]) => {
    const name = `links.${format === 'excel' ? 'csv' : format}`
    const query = exportQuery(search)
    return download(`/api/v1/${name}`, format === 'excel' ? { ...query, bom: 'true' } : query, name)
  })
  return (
    <Menu
      trigger={
        <IconButton
          label={t('links.export')}
          // Not disabled, which would take the focus away from it.
          aria-busy={save.isPending || undefined}
          icon={save.isPending ? <Spinner size={16} /> : <Download />}
        />
      }
    >
      {FORMATS.map((format) => (
        <MenuItem key={format} onClick={() => save.mutate(format)}>
          {t(`links.export.${format}`)}
        </MenuItem>
      ))}
    </Menu>
  )
}
