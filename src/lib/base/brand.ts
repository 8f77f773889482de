import ICON_FILE from '../../../web/public/icon.svg' with { type: 'text' }
import BRAND from '../../../web/src/brand.css' with { type: 'text' }

/** Slugline's logo, for use in a page beside its name. */
export const ICON = ICON_FILE.trim().replace('<svg ', '<svg aria-hidden="true" ')

/**
 * The dashboard's colors and fonts of these names, as a CSS rule for pages without its style
 * sheet.
 */
export function brandVariables(...names: readonly string[]): string {
  const values = names.map((name) => {
    const value = new RegExp(`--${name}:\\s*([^;]+);`).exec(BRAND)?.[1]
    if (value === undefined) throw new Error(`brand.css has no --${name}`)
    return `--${name}:${value.replaceAll(/\s+/g, ' ')}`
  })
  return `:root{color-scheme:light dark;${values.join(';')}}`
}
