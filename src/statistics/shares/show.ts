import { isGroup } from '../columns.ts'
import type { Listed } from '../types.ts'

/** What a share can show besides clicks over time, with the dimensions of each. */
export const SHOWN = {
  countries: ['country'],
  regions: ['region'],
  cities: ['city'],
  languages: ['language'],
  referrers: ['referrer'],
  devices: ['device', 'browser', 'os'],
  utm: ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'],
  scans: ['trigger'],
  times: ['hour', 'weekday'],
  variants: ['variant', 'rule'],
  domains: ['domain'],
  links: ['link'],
  tags: ['tag'],
  folders: ['folder'],
  /** The destinations of shown links. */
  destinations: [],
} as const satisfies Record<string, readonly Listed[]>
export type Show = keyof typeof SHOWN

export const SHOW_NAMES = Object.keys(SHOWN) as [Show, ...Show[]]

/** The default of `show`. */
export const SHOW_DEFAULT: readonly Show[] = ['countries', 'referrers', 'devices']

/** The kind of a share's subject. */
export type ShareKind = 'link' | 'tag' | 'folder' | 'workspace'

/** The dimensions that a share can be queried for. */
export function dimensionsOf(show: readonly Show[], kind: ShareKind): Listed[] {
  const all = show.flatMap((name): readonly Listed[] => SHOWN[name])
  return kind === 'link' ? all.filter((name) => name !== 'link' && !isGroup(name)) : all
}
