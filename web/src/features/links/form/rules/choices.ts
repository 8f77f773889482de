import countries from 'i18n-iso-countries/codes.json'
import type { I18n } from '../../../../i18n/index.tsx'
import type { Option } from '../../../../ui/listbox.tsx'
import { wordOf } from '../../rules/text.ts'

/** Every country by its ISO 3166-1 code. */
export const COUNTRIES: readonly string[] = countries.map(([code]) => code as string)

/** Common scripts and regions of languages; others can be typed. */
const VARIETIES = ['en-GB', 'en-US', 'es-419', 'pt-BR', 'pt-PT', 'zh-Hans', 'zh-Hant']

/** Languages that the browser has a name for, by two-letter code. */
export function languages(): string[] {
  const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })
  const letters = Array.from({ length: 26 }, (_, i) => String.fromCharCode(97 + i))
  const codes = letters.flatMap((first) => letters.map((second) => first + second))
  // Some codes were replaced: `iw` is `he` now.
  const isCurrent = (code: string) =>
    names.of(code) !== undefined && Intl.getCanonicalLocales(code)[0] === code
  return [...codes.filter(isCurrent), ...VARIETIES]
}

/** Countries or languages by their names in the person's language. */
export function codesOf(member: 'country' | 'language', i18n: I18n): Option[] {
  const codes = member === 'country' ? COUNTRIES : languages()
  return codes
    .map((code) => ({ value: code, label: wordOf(member, code, i18n) }))
    .sort((a, b) => a.label.localeCompare(b.label, i18n.regional))
}

/** Operating systems as in statistics, most used first. */
export const SYSTEMS: readonly string[] = [
  ...['iOS', 'iPadOS', 'Android', 'Windows', 'macOS', 'Linux', 'Chrome OS'],
  ...['Bada', 'BlackBerry', 'Fire OS', 'FreeBSD', 'HarmonyOS', 'KaiOS', 'NetBSD', 'Nintendo'],
  ...['OpenBSD', 'PlayStation', 'PlayStation 4', 'Roku', 'Tizen', 'tvOS', 'watchOS', 'webOS'],
  ...['Windows Phone', 'Xbox'],
]

/** Browsers as in statistics; others can be typed. */
export const BROWSERS: readonly string[] = [
  ...['Chrome', 'Safari', 'Firefox', 'Edge', 'Samsung Internet', 'Opera', 'Brave', 'Vivaldi'],
  ...['DuckDuckGo', 'Yandex Browser', 'UC Browser', 'Mi Browser', 'Huawei Browser', 'QQ Browser'],
  ...['Whale', 'Instagram', 'Facebook', 'Messenger', 'Threads', 'TikTok', 'X', 'LinkedIn'],
  ...['Snapchat', 'Pinterest', 'Reddit', 'WhatsApp', 'WeChat', 'LINE', 'KakaoTalk', 'Telegram'],
  ...['Slack', 'Discord', 'Google App'],
]
