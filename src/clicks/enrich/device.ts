import bowser from 'bowser'
import { type AgentVerdict, classifyAgent } from '../classify.ts'
import { APPS, SYSTEMS } from './names.ts'

/** Kinds of devices; stable keywords of the API. `bot`: a program identifies as one. */
export type Device = 'desktop' | 'mobile' | 'tablet' | 'tv' | 'console' | 'wearable' | 'bot'

/** What a browser's user agent reveals; null: unknown. */
interface AgentDetails {
  readonly browser: string | null
  readonly os: string | null
  readonly device: Device | null
}

/**
 * Parses a browser's user agent, using common names. An app with an embedded browser counts as the
 * app. Browsers hide some things: Brave identifies as Chrome on most systems, and an iPad as a Mac.
 */
export function describeAgent(userAgent: string): AgentDetails {
  if (userAgent === '') return { browser: null, os: null, device: null }
  return {
    browser: browserOf(userAgent),
    os: systemOf(userAgent),
    device: deviceOf(userAgent),
  }
}

const KNOWN = new Set(Object.values(bowser.BROWSER_MAP))

function browserOf(userAgent: string): string | null {
  for (const [name, pattern] of APPS) if (pattern.test(userAgent)) return name
  if (/; wv\)/.test(userAgent)) return 'Android WebView'
  if (/\b(?:iPhone|iPad|iPod)\b/.test(userAgent) && !/ (?:Version|CriOS|FxiOS)\//.test(userAgent)) {
    return 'iOS WebView'
  }
  const { name } = bowser.getParser(userAgent, true).parseBrowser()
  // For unknown browsers bowser returns the text before the last slash.
  return name !== undefined && KNOWN.has(name) ? name : null
}

function systemOf(userAgent: string): string | null {
  for (const [name, pattern] of SYSTEMS) if (pattern.test(userAgent)) return name
  const { name } = bowser.getParser(userAgent, true).parseOS()
  return name === undefined || name === '' ? null : name
}

const TV =
  /smart-?tv|googletv|apple ?tv|android ?tv|hbbtv|netcast|web0s|webos\.tv|bravia|\baft[a-z]+\b|crkey|roku|viera|philipstv|aquos|vidaa|\bdtv\b|\btv\b/i
const CONSOLE = /playstation|xbox|nintendo|steam deck/i
const WEARABLE = /watch|wear ?os|\bSM-R\d{3}|oculus|quest \d|\bVR\b/i
const TABLET =
  /ipad|tablet(?! pc)|playbook|kindle|\(kobo |\bkf[a-z]{3,}|^Mozilla(?=.*(?:android|silk))(?!.*mobi)/i
const MOBILE =
  /mobi|iphone|ipod|\bios\b|android|FBAN\/(?:FB4A|EMA)\b|windows phone|kaios|blackberry|opera mini|symbian|nokia|midp|openharmony|ucweb/i
const DESKTOP = /windows|macintosh|linux|x11|cros|bsd|lynx|w3m|links|netsurf/i

/** The form of most agents, without anything special: the fast path. */
const COMMON = /^Mozilla\/5\.0 \((?:(Windows NT|Macintosh;|X11; CrOS)|(iPhone;))/
const UNCOMMON = /FBSN|xbox|tablet(?! pc)|playstation|\btv\b|watch/i

function deviceOf(userAgent: string): Device | null {
  const common = COMMON.exec(userAgent)
  if (common !== null && !UNCOMMON.test(userAgent)) return common[2] ? 'mobile' : 'desktop'
  if (CONSOLE.test(userAgent)) return 'console'
  if (TV.test(userAgent)) return 'tv'
  if (WEARABLE.test(userAgent)) return 'wearable'
  if (TABLET.test(userAgent) && !/opera mini/i.test(userAgent)) return 'tablet'
  if (MOBILE.test(userAgent)) return 'mobile'
  return DESKTOP.test(userAgent) ? 'desktop' : null
}

/**
 * The sender of a user agent, and what it reveals. A program's own name is its browser; the system
 * that it claims is ignored.
 */
export function readAgent(userAgent: string): AgentDetails & { verdict: AgentVerdict } {
  const verdict = classifyAgent(userAgent)
  if (verdict.kind === 'human') return { verdict, ...describeAgent(userAgent) }
  return { verdict, browser: verdict.name, os: null, device: 'bot' }
}
