import {
  CORRECTIONS,
  DEFAULT_STYLE,
  EYE_SHAPES,
  MODULE_SHAPES,
  type QrStyle,
} from '../../../../../src/qr/drawing.ts'

export const SIZES = ['256', '512', '1024', '2048', '4096'] as const
export const MARGINS = ['0', '1', '2', '4', '8'] as const

/** How codes look, and the size of the file. */
export type Style = QrStyle & { size: string; logo: boolean }

/** A style is kept in this browser: most people want the same one for each code. */
const KEPT = 'slugline-qr-style'
const STANDARD: Style = { ...DEFAULT_STYLE, size: '512', logo: false }

export function keptStyle(): Style {
  try {
    const kept: unknown = { ...STANDARD, ...JSON.parse(localStorage.getItem(KEPT) ?? '{}') }
    return isStyle(kept) ? kept : STANDARD
  } catch {
    return STANDARD
  }
}

export function keepStyle(style: Style): void {
  localStorage.setItem(KEPT, JSON.stringify(style))
}

function isStyle(kept: unknown): kept is Style {
  const { dark, light, correction, margin, size, modules, eyes, logo } = kept as Style
  return (
    [dark, light].every((colour) => /^#[\da-f]{6}$/i.test(colour)) &&
    CORRECTIONS.includes(correction) &&
    MODULE_SHAPES.includes(modules) &&
    EYE_SHAPES.includes(eyes) &&
    (MARGINS as readonly string[]).includes(String(margin)) &&
    (SIZES as readonly string[]).includes(size) &&
    typeof logo === 'boolean'
  )
}
