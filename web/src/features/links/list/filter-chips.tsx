import { useQuery } from '@tanstack/react-query'
import { usePlace } from '../../../app/workspace.tsx'
import { useI18n } from '../../../i18n/index.tsx'
import { Chip } from '../../../ui/chip.tsx'
import { folderQuery } from '../../groups/queries.ts'
import type { Ask } from '../search.ts'
import { HAD, type LinksSearch, type SearchChange } from '../search.ts'
import { useCreators } from './creator.ts'

/** The folder whose name is needed. */
function folderIdOf({ folder }: LinksSearch): string {
  return folder === undefined || folder === 'none' ? '' : folder
}

/** The list's filters, each removable. */
export function FilterChips({ search, ask }: { search: LinksSearch; ask: Ask }) {
  const { t, format } = useI18n()
  const { workspace } = usePlace()
  const folder = useQuery(folderQuery(workspace.id, folderIdOf(search)))
  const creators = useCreators(search.creator)
  const day = (text: string) => format.date(`${text}T00:00`)
  const chips: { text: string; without: SearchChange }[] = []
  if (search.status) {
    chips.push({ text: t(`links.status.${search.status}`), without: { status: undefined } })
  }
  const { tag: tags = [] } = search
  const isAny = search.any === true && tags.length > 1
  if (isAny) {
    const text = t('links.withAnyTag', { tags: format.list(tags) })
    chips.push({ text, without: { tag: undefined, any: undefined } })
  }
  for (const tag of isAny ? [] : tags) {
    const rest = tags.filter((one) => one !== tag)
    chips.push({ text: t('links.withTag', { tag }), without: { tag: rest } })
  }
  for (const name of HAD) {
    if (!search[name]) continue
    chips.push({ text: t(`links.filter.${name}`), without: { [name]: undefined } })
  }
  if (search.folder) {
    const isNone = search.folder === 'none'
    const named = folder.isError
      ? t('keys.restrictions.deletedFolder')
      : t('links.inFolder', { name: folder.data?.name ?? '…' })
    const text = isNone ? t('folders.none') : named
    chips.push({ text, without: { folder: undefined } })
  }
  if (search.archived) {
    const text = t(search.archived === 'true' ? 'links.field.archived' : 'links.withArchived')
    chips.push({ text, without: { archived: undefined } })
  }
  if (search.domain) chips.push({ text: search.domain, without: { domain: undefined } })
  if (search.creator) {
    const name = creators.find(({ id }) => id === search.creator)?.name ?? ''
    const text =
      search.creator === 'me' ? t('links.createdByMe') : t('links.createdByName', { name })
    chips.push({ text, without: { creator: undefined } })
  }
  if (search.after) {
    const text = t('links.createdSince', { day: day(search.after) })
    chips.push({ text, without: { after: undefined } })
  }
  if (search.before) {
    const text = t('links.createdUntil', { day: day(search.before) })
    chips.push({ text, without: { before: undefined } })
  }
  if (chips.length === 0) return null
  return (
    <ul className="mb-3 flex flex-wrap gap-1.5">
      {chips.map(({ text, without }) => (
        <li key={text}>
          <Chip
            tone="accent"
            removeLabel={t('links.removeFilter', { filter: text })}
            onRemove={() => ask(without)}
          >
            {text}
          </Chip>
        </li>
      ))}
    </ul>
  )
}
