import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A user agent, and the expected classification. */
interface SampleAgent {
  agent: string
  says: string[]
}

/**
 * Ordinary browsers of 2021 to 2026: browser, operating system, device (`null`: none). Sources:
 * developer.mozilla.org (Reference/Headers/User-Agent), chromium.org/updates/ua-reduction,
 * developer.samsung.com/internet (user-agent-string-format), docs.aws.amazon.com/silk
 * (user-agent-strings), developers.facebook.com (in-app browsers).
 */
export const BROWSER_AGENTS = read('browsers.txt', ', ')
/**
 * Crawlers, unfurlers and other programs: kind, reason. Most contain their documentation's URL;
 * others are documented at api.slack.com/robots, developers.facebook.com/docs/sharing/webmasters,
 * developers.google.com/crawling, bing.com/webmasters/help, support.apple.com/119829,
 * platform.openai.com/docs/bots. Signal sends WhatsApp's, iMessage Facebook's and X's.
 */
export const PROGRAM_AGENTS = read('programs.txt', ' ')

function read(name: string, separator: string): SampleAgent[] {
  let says: string[] = []
  const samples: SampleAgent[] = []
  for (const line of readFileSync(join(import.meta.dir, name), 'utf8').split('\n')) {
    if (line.startsWith('# ')) says = line.slice(2).split(separator)
    else if (line !== '') samples.push({ agent: line, says })
  }
  return samples
}
