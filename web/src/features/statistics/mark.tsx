import { Bot, Gamepad2, Globe, Monitor, Smartphone, Tablet, Tv, Watch } from 'lucide-react'
import {
  siAndroid,
  siApple,
  siBaidu,
  siBluesky,
  siDiscord,
  siDuckduckgo,
  siFacebook,
  siFirefoxbrowser,
  siGithub,
  siGoogle,
  siGooglechrome,
  siInstagram,
  siLinux,
  siMastodon,
  siMedium,
  siNaver,
  siOpera,
  siPinterest,
  siProducthunt,
  siReddit,
  siSafari,
  siSamsung,
  siSinaweibo,
  siStackoverflow,
  siTelegram,
  siThreads,
  siTiktok,
  siUbuntu,
  siVivaldi,
  siWhatsapp,
  siWikipedia,
  siX,
  siYcombinator,
  siYoutube,
} from 'simple-icons'
import type { Listed } from './filters.ts'

const DEVICES = {
  desktop: Monitor,
  mobile: Smartphone,
  tablet: Tablet,
  tv: Tv,
  console: Gamepad2,
  wearable: Watch,
  bot: Bot,
} as const

/** By a part of the value in lower case, first match wins. Simple Icons (CC0) lacks some brands. */
const BRANDS: readonly (readonly [part: string, icon: { path: string }])[] = [
  ['duckduckgo', siDuckduckgo],
  ['samsung', siSamsung],
  ['chrome', siGooglechrome],
  ['chromium', siGooglechrome],
  ['firefox', siFirefoxbrowser],
  ['safari', siSafari],
  ['opera', siOpera],
  ['vivaldi', siVivaldi],
  ['android', siAndroid],
  ['macos', siApple],
  ['ios', siApple],
  ['ubuntu', siUbuntu],
  ['linux', siLinux],
  ['news.ycombinator', siYcombinator],
  ['facebook', siFacebook],
  ['instagram', siInstagram],
  ['twitter', siX],
  ['reddit', siReddit],
  ['youtube', siYoutube],
  ['whatsapp', siWhatsapp],
  ['telegram', siTelegram],
  ['github', siGithub],
  ['wikipedia', siWikipedia],
  ['mastodon', siMastodon],
  ['bsky', siBluesky],
  ['tiktok', siTiktok],
  ['pinterest', siPinterest],
  ['discord', siDiscord],
  ['baidu', siBaidu],
  ['medium.com', siMedium],
  ['stackoverflow', siStackoverflow],
  ['threads.net', siThreads],
  ['weibo', siSinaweibo],
  ['naver', siNaver],
  ['producthunt', siProducthunt],
  ['google', siGoogle],
]
/** Hosts that are too short to match as a part. */
const HOSTS: Readonly<Record<string, { path: string }>> = {
  'x.com': siX,
  't.co': siX,
  't.me': siTelegram,
}
const BRANDED: ReadonlySet<Listed> = new Set(['browser', 'os', 'referrer', 'utm_source'])
const SIZE = 'me-2 inline-block size-3.5 shrink-0 align-[-2px]'

/** A flag or icon before a value, hidden from screen readers; a globe if it is unknown. */
export function Mark({ dimension, value }: { dimension: Listed; value: string | number | null }) {
  const hasMark = dimension === 'country' || dimension === 'device' || BRANDED.has(dimension)
  if (!hasMark) return null
  if (typeof value !== 'string' || value === '') {
    return <Globe className={`${SIZE} text-faint ${dimension === 'country' ? 'w-4' : ''}`} />
  }
  if (dimension === 'country') {
    return (
      <span aria-hidden="true" className="me-2 w-4 shrink-0 text-center">
        {flagOf(value)}
      </span>
    )
  }
  if (dimension === 'device') {
    const Icon = DEVICES[value as keyof typeof DEVICES] ?? Monitor
    return <Icon className={`${SIZE} text-muted`} />
  }
  const text = value.toLowerCase()
  const brand = HOSTS[text] ?? BRANDS.find(([part]) => text.includes(part))?.[1]
  if (brand === undefined) return <Globe className={`${SIZE} text-faint`} />
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true" className={`${SIZE} fill-muted`}>
      <path d={brand.path} />
    </svg>
  )
}

/** A country's flag: its code in regional indicator symbols (Unicode TR #51). */
function flagOf(code: string): string {
  const letters = [...code.toUpperCase()].map((letter) => 0x1f1e6 + letter.charCodeAt(0) - 65)
  return /^[A-Z]{2}$/i.test(code) ? String.fromCodePoint(...letters) : ''
}
