import { DirectionProvider } from '@base-ui/react/direction-provider'
import { type ReactNode, useEffect } from 'react'
import { useI18n } from '../i18n/index.tsx'
import { useOwnValidity } from './own-validity.ts'

/** What the page's language decides: which way it runs, and what fields say that aren't filled in. */
export function Direction({ children }: { children: ReactNode }) {
  const { dir } = useI18n()
  useOwnValidity()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the scroll bar changes sides with the language
  useEffect(keepGutter, [dir])
  return <DirectionProvider direction={dir}>{children}</DirectionProvider>
}

/**
 * A dialog covers the gutter of the scroll bar, too. The page keeps that room as padding meanwhile,
 * so that nothing moves; which side it is on differs by language and browser.
 */
function keepGutter(): void {
  const { style } = document.documentElement
  const { left, right } = document.documentElement.getBoundingClientRect()
  style.setProperty('--gutter-left', `${left}px`)
  style.setProperty('--gutter-right', `${innerWidth - right}px`)
}
