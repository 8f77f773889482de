import { createHash } from 'node:crypto'
import { ICON } from '../lib/base/brand.ts'

/** The branding of a domain's pages. */
export interface Brand {
  name: string | null
  /** The URL of an image: on the domain itself, or https. */
  logo: string | null
  /** `#rrggbb` */
  color: string | null
}

/** The header of a page: the brand's, or Slugline's. */
export function headerOf(brand: Brand | undefined): string {
  const { name = null, logo = null } = brand ?? {}
  if (name === null && logo === null) return `<header>${ICON}<bdi>Slugline</bdi></header>`
  const mark =
    logo === null
      ? `<span class="mark" aria-hidden="true">${Bun.escapeHTML(initialOf(name ?? ''))}</span>`
      : `<img src="${Bun.escapeHTML(logo)}" alt="">`
  return `<header>${mark}<bdi>${Bun.escapeHTML(name ?? '')}</bdi></header>`
}

/** The style element of a brand's color; empty: it has none. */
export function brandStyle(brand: Brand | undefined): string {
  const style = brand === undefined ? '' : styleOf(brand)
  return style && `\n<style>${style}</style>`
}

/** The first character of a name, shown if there is no logo. */
function initialOf(name: string): string {
  const [first] = new Intl.Segmenter().segment(name)
  return first?.segment.toUpperCase() ?? ''
}

/** The sources that a page's policy must allow for its brand. */
export function brandSources(brand: Brand): { style: string; image: string } {
  const { logo } = brand
  const style = styleOf(brand)
  const hash = createHash('sha256').update(style).digest('base64')
  const origin = logo?.startsWith('/') === false ? ` ${new URL(logo).origin}` : ''
  return { style: style && ` 'sha256-${hash}'`, image: `; img-src 'self'${origin}` }
}

/** A color may be like a page's background: buttons have an edge, and the focus the text's color. */
function styleOf({ color }: Brand): string {
  if (color === null) return ''
  const edge = 'inset 0 0 0 1px color-mix(in srgb,var(--on-accent) 30%,transparent)'
  return `:root{--accent:${color};--on-accent:${textOn(color)}}.button,.mark{box-shadow:${edge}}:focus-visible{outline-color:var(--fg)}`
}

/** Black or white, whichever has the higher contrast (WCAG 2.2, relative luminance). */
function textOn(color: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000' : '#fff'
}
