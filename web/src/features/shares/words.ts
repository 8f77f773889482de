import type { I18n, MessageKey } from '../../i18n/index.tsx'
import type { Share, ShareSubject, Show } from './queries.ts'

/** The names of a share's parts on its page. */
export const SHOW_LABELS = {
  countries: 'statistics.dimension.country',
  regions: 'statistics.dimension.region',
  cities: 'statistics.dimension.city',
  languages: 'statistics.dimension.language',
  referrers: 'statistics.dimension.referrer',
  devices: 'statistics.group.devices',
  utm: 'statistics.group.campaigns',
  scans: 'statistics.scans',
  times: 'statistics.group.times',
  variants: 'statistics.group.rules',
  domains: 'statistics.dimension.domain',
  links: 'statistics.group.links',
  tags: 'statistics.dimension.tag',
  folders: 'statistics.dimension.folder',
  destinations: 'shares.destinations',
} as const satisfies Record<Show, MessageKey>

/** A share's name, or that of its subject. */
export function shareName({ name, subject }: Share, i18n: Pick<I18n, 't'>): string {
  return name ?? subjectName(subject, i18n)
}

/** The kind of a share's subject, with the name of a tag. */
export function subjectName(subject: ShareSubject, { t }: Pick<I18n, 't'>): string {
  if (subject.tag !== undefined) return t('shares.ofTag', { name: subject.tag })
  if (subject.folder_id !== undefined) return t('shares.ofFolder')
  return t(subject.link_id === undefined ? 'shares.workspace' : 'shares.link')
}

/** The code that embeds a share in another page. */
export function embedCode(url: string): string {
  return `<iframe src="${url}?embed" width="100%" height="900" style="border:0"></iframe>`
}
