import { useEffect } from 'react'
import { useI18n } from '../i18n/index.tsx'

/** Names the page in the browser's tab. */
export function useTitle(title: string): void {
  const { t } = useI18n()
  const whole = `${title} · ${t('common.product')}`
  useEffect(() => {
    document.title = whole
  }, [whole])
}
