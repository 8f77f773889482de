import { DirectionProvider } from '@base-ui/react/direction-provider'
import { type ReactNode, useEffect } from 'react'
import { useI18n } from '../i18n/index.tsx'
import { useOwnValidity } from './own-validity.ts'

/** Applies the language's direction, and its texts for the validation of empty fields. */
export function Direction({ children }: { children: ReactNode }) {
  const { dir } = useI18n()
  useOwnValidity()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the scroll bar changes sides with the language
  useEffect(keepGutter, [dir])
  return <DirectionProvider direction={dir}>{children}</DirectionProvider>
}

/**
 * A dialog covers the scroll bar's gutter too. Meanwhile the page keeps that space as padding, so
 * that nothing moves; the side depends on language and browser.
 */
function keepGutter(): void {
  const { style } = document.documentElement
  const { left, right } = document.documentElement.getBoundingClientRect()
  style.setProperty('--gutter-left', `${left}px`)
  style.setProperty('--gutter-right', `${innerWidth - right}px`)
}
