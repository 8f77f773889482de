/** Sites by their registrable host, whose `m.`, `l.`, `www.`-like subdomains are the same site. */
const SITES: Readonly<Record<string, string>> = {
  'baidu.com': 'Baidu',
  'bing.com': 'Bing',
  'bsky.app': 'Bluesky',
  'chatgpt.com': 'ChatGPT',
  'claude.ai': 'Claude',
  'discord.com': 'Discord',
  'duckduckgo.com': 'DuckDuckGo',
  'ecosia.org': 'Ecosia',
  'facebook.com': 'Facebook',
  'github.com': 'GitHub',
  'instagram.com': 'Instagram',
  'linkedin.com': 'LinkedIn',
  'lnkd.in': 'LinkedIn',
  'medium.com': 'Medium',
  'messenger.com': 'Messenger',
  'news.ycombinator.com': 'Hacker News',
  'perplexity.ai': 'Perplexity',
  'pinterest.com': 'Pinterest',
  'producthunt.com': 'Product Hunt',
  'qwant.com': 'Qwant',
  'reddit.com': 'Reddit',
  'slack.com': 'Slack',
  'stackoverflow.com': 'Stack Overflow',
  'substack.com': 'Substack',
  't.co': 'X',
  't.me': 'Telegram',
  'threads.com': 'Threads',
  'threads.net': 'Threads',
  'tiktok.com': 'TikTok',
  'twitch.tv': 'Twitch',
  'twitter.com': 'X',
  'vk.com': 'VK',
  'web.telegram.org': 'Telegram',
  'weibo.com': 'Weibo',
  'whatsapp.com': 'WhatsApp',
  'wikipedia.org': 'Wikipedia',
  'x.com': 'X',
  'yahoo.com': 'Yahoo',
  'yandex.ru': 'Yandex',
  'youtu.be': 'YouTube',
  'youtube.com': 'YouTube',
}

/** Android apps by their package, which `android-app://` referrers name. */
const APPS: Readonly<Record<string, string>> = {
  'com.discord': 'Discord',
  'com.facebook.katana': 'Facebook',
  'com.facebook.orca': 'Messenger',
  'com.google.android.gm': 'Gmail',
  'com.google.android.googlequicksearchbox': 'Google',
  'com.google.android.youtube': 'YouTube',
  'com.instagram.android': 'Instagram',
  'com.instagram.barcelona': 'Threads',
  'com.linkedin.android': 'LinkedIn',
  'com.pinterest': 'Pinterest',
  'com.reddit.frontpage': 'Reddit',
  'com.slack': 'Slack',
  'com.twitter.android': 'X',
  'com.whatsapp': 'WhatsApp',
  'com.zhiliaoapp.musically': 'TikTok',
  'org.telegram.messenger': 'Telegram',
}

/** Google has a host for every country; its other services aren't searches. */
const GOOGLE = /^google\.(?:com?\.)?[a-z]{2,3}$/

/**
 * The name of a referrer with its host, such as `X (t.co)`: several hosts may have the same name,
 * and each is a row and a filter of its own. Unknown ones stay as they are.
 */
export function sourceName(host: string): string {
  if (Object.hasOwn(APPS, host)) return `${APPS[host]} (Android)`
  if (GOOGLE.test(host)) return `Google (${host})`
  const labels = host.split('.')
  for (let from = 0; from < labels.length - 1; from++) {
    const site = labels.slice(from).join('.')
    if (Object.hasOwn(SITES, site)) return `${SITES[site]} (${host})`
  }
  return host
}
