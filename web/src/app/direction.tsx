import { DirectionProvider } from '@base-ui/react/direction-provider'
import type { ReactNode } from 'react'
import { useI18n } from '../i18n/index.tsx'

/** Tells the primitives which way the language runs. */
export function Direction({ children }: { children: ReactNode }) {
  const { dir } = useI18n()
  return <DirectionProvider direction={dir}>{children}</DirectionProvider>
}
