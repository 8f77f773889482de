import { encodeRecord, RECORD_VERSION } from '../../src/clicks/record.ts'
import { seeded } from '../../test/harness/random.ts'

/** The distribution of generated clicks. */
export interface ClickSource {
  /** `links.seq` of the first link; the others follow. */
  firstLink: number
  links: number
  /** Milliseconds since the Unix epoch. */
  from: number
  to: number
  clicks: number
  /** Distinct people per day. */
  visitors: number
}

const LANGUAGES = ['en-US,en;q=0.9', 'de-DE,de;q=0.9,en;q=0.8', 'fr-FR,fr;q=0.9', 'es-ES,es;q=0.8']
const SITES = ['www.google.com/', 'news.ycombinator.com/item', 't.co/', 'www.reddit.com/r/all/', '']
const BOTS = [
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
]

/** Realistic user agents: some thousand different ones, a few of them most of the time. */
export function userAgents(random: () => number, count = 3_000): string[] {
  const systems = [
    'Windows NT 10.0; Win64; x64',
    'Macintosh; Intel Mac OS X 10_15_7',
    'X11; Linux x86_64',
    'Linux; Android 14; Pixel 8',
    'Linux; Android 13; SM-S918B',
    'iPhone; CPU iPhone OS 17_5 like Mac OS X',
  ]
  return Array.from({ length: count }, () => {
    const system = systems[Math.floor(random() * systems.length)] as string
    const major = 90 + Math.floor(random() * 60)
    const build = Math.floor(random() * 9_000)
    if (system.startsWith('iPhone')) {
      return `Mozilla/5.0 (${system}) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.${build % 9} Mobile/15E${build % 400} Safari/604.1`
    }
    if (random() < 0.2) {
      return `Mozilla/5.0 (${system}; rv:${major}.0) Gecko/20100101 Firefox/${major}.0`
    }
    return `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.${build}.${build % 200} Safari/537.36`
  })
}

/** Journal lines with realistic agents, referrers and addresses, in order of time. */
export function* journalLines(source: ClickSource, seed = 1): Generator<string> {
  const random = seeded(seed)
  const agents = userAgents(random)
  const zipf = (count: number) => Math.floor(count ** random()) - 1
  for (let i = 0; i < source.clicks; i++) {
    const time = Math.floor(source.from + ((source.to - source.from) * i) / source.clicks)
    const day = Math.floor(time / 86_400_000)
    const who = Math.floor(random() * source.visitors)
    const person = seeded(who)
    const agent =
      random() < 0.12
        ? (BOTS[Math.floor(random() * BOTS.length)] as string)
        : (agents[Math.floor(agents.length ** person()) - 1] as string)
    const visitor = Bun.hash(`${day} ${who}`).toString(16).padStart(16, '0').slice(0, 16)
    const site = SITES[Math.floor(random() * SITES.length)] as string
    const referrer = site === '' ? '' : `https://${site}${random() < 0.3 ? zipf(10_000) : ''}`
    yield encodeRecord([
      RECORD_VERSION,
      time,
      source.firstLink + zipf(source.links),
      0,
      random() < 0.03 ? '' : visitor,
      agent,
      `${1 + Math.floor(person() * 222)}.${Math.floor(person() * 256)}.${Math.floor(person() * 256)}.0`,
      referrer,
      LANGUAGES[Math.floor(person() * LANGUAGES.length)] as string,
      random() < 0.2 ? { source: 'newsletter', medium: 'email', campaign: `c${zipf(200)}` } : 0,
      'abc1234',
      0,
    ])
  }
}
