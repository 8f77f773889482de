import { createMemo } from '../../lib/base/memo.ts'

const HEADERS_REMEMBERED = 2_000

/**
 * The visitor's preferred language: the first tag with the highest weight of `Accept-Language` (RFC
 * 9110 §12.5.4), reduced to its primary subtag, Chinese with its script (`zh-Hans`, `zh-Hant`).
 * Obsolete codes are replaced (`iw`: `he`). Null if there is none, or it isn't a language tag.
 */
export const languageOf = createMemo(HEADERS_REMEMBERED, (header: string): string | null => {
  const tag = preferredTag(header)
  return tag === null ? null : reduce(tag)
})

/** The same as the whole language tag (BCP 47) of the header. */
export function preferredTag(header: string): string | null {
  let best: string | null = null
  let bestWeight = 0
  for (const part of header.split(',')) {
    const [given = '', ...parameters] = part.split(';').map((text) => text.trim())
    // Apps send the name of a locale, with its encoding: `en_US.UTF-8`.
    const range = given.replace(/[.@].*$/, '').replaceAll('_', '-')
    if (!/^[a-z]{2,3}(-[a-z0-9]{1,8})*$/i.test(range)) continue
    const weighed = parameters.find((parameter) => /^q=/i.test(parameter))
    const weight = weighed === undefined ? 1 : Number(weighed.slice(2))
    if (!(weight > bestWeight && weight <= 1)) continue
    if (reduce(range) === null) continue
    best = range
    bestWeight = weight
  }
  return best
}

function reduce(tag: string): string | null {
  try {
    // `Intl.Locale` alone keeps some obsolete codes that old Android and Java still send.
    const locale = new Intl.Locale(Intl.getCanonicalLocales(tag)[0] as string)
    const { language } = locale
    if (language === 'und') return null
    // Systems send Bokmål as either.
    if (language !== 'zh') return language === 'nb' ? 'no' : language
    const { script } = locale.maximize()
    return script === 'Hant' ? 'zh-Hant' : 'zh-Hans'
  } catch {
    return null
  }
}
