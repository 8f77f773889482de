import bowser from 'bowser'
import { APPS } from './names.ts'

/** The version of the browser named by `describeAgent`; null: unknown. */
export function browserVersion(userAgent: string): string | null {
  for (const [, pattern] of APPS) {
    const match = pattern.exec(userAgent)
    // The first number after the app's token: `FBAN/FBIOS;FBAV/450.0`.
    if (match !== null) return numbersOf(/[/ ](\d[\d.]*)/.exec(userAgent.slice(match.index))?.[1])
  }
  if (/; wv\)/.test(userAgent)) return numbersOf(/\bChrome\/([\d.]+)/.exec(userAgent)?.[1])
  return numbersOf(bowser.getParser(userAgent, true).parseBrowser().version)
}

/** How apps write it: `FBSV/17.1` after the browser's own, which may be a Mac's; `iOS 17_4`. */
const IN_APP = /\bFBSV\/([\d.]+)|^(?!Mozilla).*\bi(?:Pad)?OS (\d+(?:[._]\d+)*)/

/** The version of the operating system: for Windows the product version (`10`). */
export function systemVersion(userAgent: string): string | null {
  const own = IN_APP.exec(userAgent)
  if (own !== null) return numbersOf((own[1] ?? own[2])?.replaceAll('_', '.'))
  const { name, version, versionName } = bowser.getParser(userAgent, true).parseOS()
  return numbersOf(name === 'Windows' ? versionName : version)
}

function numbersOf(text: string | undefined): string | null {
  return /^\d+(?:\.\d+){0,3}/.exec(text ?? '')?.[0] ?? null
}
