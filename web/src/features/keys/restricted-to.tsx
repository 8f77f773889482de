import { useI18n } from '../../i18n/index.tsx'
import { useFolderNames } from './folder-names.ts'
import type { Restrictions } from './queries.ts'

/** The most names per restriction; the form shows all. */
const NAMES_MAX = 5

/** Networks would be reordered in text from right to left. */
const isolated = (name: string) => `\u2068${name}\u2069`

/** What a key is restricted to, by name. */
export function RestrictedTo({ restrictions }: { restrictions: NonNullable<Restrictions> }) {
  const { t, format } = useI18n()
  const { domains, folders, tags, networks, own_links } = restrictions
  const names = useFolderNames(folders?.slice(0, NAMES_MAX) ?? [])
  const deleted = [t('keys.restrictions.deletedTags')]
  const lists = [
    { label: t('usage.domains'), items: domains, names: domains },
    { label: t('folders.title'), items: folders, names },
    { label: t('tags.title'), items: tags, names: tags?.length === 0 ? deleted : tags },
    { label: t('keys.restrictions.networks'), items: networks, names: networks },
  ]
  return (
    <ul className="flex flex-col gap-0.5 text-muted text-xs [overflow-wrap:anywhere]">
      {lists.map(({ label, items, names = [] }) => {
        if (items === undefined) return null
        const more = items.length - NAMES_MAX
        const shown = [
          ...names.slice(0, NAMES_MAX).map(isolated),
          ...(more > 0 ? [`+${format.number(more)}`] : []),
        ]
        return <li key={label}>{t('common.labelled', { label, value: format.list(shown) })}</li>
      })}
      {own_links ? <li>{t('keys.restrictions.own.short')}</li> : null}
    </ul>
  )
}
