import { Link as RouterLink } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useI18n } from '../../../i18n/index.tsx'
import { Chip } from '../../../ui/chip.tsx'
import { FolderName } from '../../groups/folder-name.tsx'
import { TagDot } from '../../groups/tag-dot.tsx'
import { useTagColors } from '../../groups/use-tags.ts'
import { PersonName } from '../../members/person.tsx'
import type { Link } from '../queries.ts'

/** The other settings. */
export function Facts({ link }: { link: Link }) {
  const { t, format } = useI18n()
  const time = (at: string | null) => (at === null ? null : format.dateTime(at))
  const lines: [label: string, value: ReactNode][] = [
    [t('links.field.tags'), link.tags.length === 0 ? null : tagsOf(link)],
    [t('links.field.folder'), link.folder_id && folderOf(link.folder_id)],
    [t('links.field.startsAt'), time(link.starts_at)],
    [t('links.field.expiresAt'), time(link.expires_at)],
    [t('links.field.maxClicks'), link.max_clicks === null ? null : format.number(link.max_clicks)],
    [t('links.field.password'), link.has_password ? t('links.passwordSet') : null],
    [t('links.field.fallback'), ltr(link.fallback_url)],
    [t('links.field.redirectStatus'), t(`links.redirect.${link.redirect_status}`)],
    [t('links.field.forwardQuery'), link.forward_query ? t('links.forwarded') : null],
    [t('links.field.match'), link.match === 'prefix' ? t('links.on') : null],
    [t('links.field.forwardPath'), link.forward_path ? t('links.on') : null],
    [t('links.field.aliases'), format.list(link.aliases)],
    [t('links.field.externalId'), ltr(link.external_id)],
    [t('links.section.social'), link.social && (link.social.title ?? t('links.section.set'))],
    [
      t('links.field.tracking'),
      link.tracking === 'full' ? null : t(`links.tracking.${link.tracking}`),
    ],
    [t('links.createdAt'), time(link.created_at)],
    [t('links.createdBy'), creatorOf(link)],
    [
      t('links.sort.updated_at'),
      link.updated_at === link.created_at ? null : time(link.updated_at),
    ],
    [
      t('links.field.notes'),
      link.notes && (
        <span dir="auto" className="whitespace-pre-wrap">
          {link.notes}
        </span>
      ),
    ],
  ]
  return (
    <dl className="gap-x-10 lg:columns-2">
      {lines
        .filter(([, value]) => value)
        .map(([label, value]) => (
          <div
            key={label}
            className="grid min-h-9 break-inside-avoid grid-cols-[9rem_1fr] items-start gap-3 border-line border-b py-2"
          >
            <dt className="text-muted">{label}</dt>
            <dd className="min-w-0 [overflow-wrap:anywhere]">{value}</dd>
          </div>
        ))}
    </dl>
  )
}

function tagsOf(link: Link): ReactNode {
  return <Tags link={link} />
}

/** Links to the links in the folder. */
function folderOf(id: string): ReactNode {
  return (
    <RouterLink to="/links" search={{ folder: id }} className="hover:underline">
      <FolderName id={id} />
    </RouterLink>
  )
}

/** Links to the links of the same creator. */
function creatorOf({ created_by: creator }: Link): ReactNode {
  return creator === null ? null : (
    <RouterLink
      to="/links"
      search={{ creator: creator.id ?? creator.type }}
      className="hover:underline"
    >
      <PersonName actor={creator} />
    </RouterLink>
  )
}

/** URLs and names run from left to right in every language. */
function ltr(text: string | null): ReactNode {
  return text ? <bdi dir="ltr">{text}</bdi> : null
}

/** Each links to the links with the tag. */
function Tags({ link }: { link: Link }) {
  const { tags } = link
  const colors = useTagColors([link])
  return (
    <span className="flex flex-wrap gap-1">
      {tags.map((tag) => (
        <RouterLink key={tag} to="/links" search={{ tag: [tag] }} className="flex max-w-full">
          <Chip before={<TagDot color={colors?.get(tag)} />}>{tag}</Chip>
        </RouterLink>
      ))}
    </span>
  )
}
