export {
  DEFAULT_LOCALE,
  direction,
  isSupportedLocale,
  LOCALES,
  type Locale,
  PSEUDO_LOCALES,
  type PseudoLocale,
  type SupportedLocale,
} from './locales.ts'
export { hasMessage, type MessageKey } from './messages.ts'
export { type LocaleSources, negotiateLocale } from './negotiate.ts'
export { formatDateTime, type MessageParams, translate } from './translate.ts'
