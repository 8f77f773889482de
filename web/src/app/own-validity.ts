import { useEffect } from 'react'
import { useI18n } from '../i18n/index.tsx'

/** Makes the browser's validation messages use the page's language instead of its own. */
export function useOwnValidity(): void {
  const { t } = useI18n()
  useEffect(() => {
    const onInvalid = ({ target }: Event) => {
      if (!(target instanceof HTMLInputElement)) return
      target.setCustomValidity('')
      const { valueMissing, typeMismatch, tooShort, badInput } = target.validity
      if (valueMissing) target.setCustomValidity(t('common.invalid.missing'))
      else if (typeMismatch && target.type === 'email') {
        target.setCustomValidity(t('common.invalid.email'))
      } else if (tooShort) {
        target.setCustomValidity(t('common.invalid.short', { min: target.minLength }))
      } else if (badInput && /^(?:date|time)/.test(target.type)) {
        target.setCustomValidity(t('common.invalid.incomplete'))
      }
    }
    const onInput = ({ target }: Event) => {
      if (target instanceof HTMLInputElement) target.setCustomValidity('')
    }
    document.addEventListener('invalid', onInvalid, true)
    document.addEventListener('input', onInput, true)
    return () => {
      document.removeEventListener('invalid', onInvalid, true)
      document.removeEventListener('input', onInput, true)
    }
  }, [t])
}
