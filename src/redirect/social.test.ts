import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyMigrated } from '../platform/storage/testing/database.ts'
import { CRAWLER, openSite, type Site } from './testing/site.ts'

/** As the services send them. */
const UNFURLERS = {
  Slack: 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  X: 'Twitterbot/1.0',
  Facebook: 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  WhatsApp: 'WhatsApp/2.23.20.0',
  LinkedIn: 'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)',
  Discord: 'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
  Telegram: 'TelegramBot (like TwitterBot)',
  Mastodon: 'Mastodon/4.2.1 (http.rb/5.1.1; +https://mastodon.social/) Bot',
  iMessage:
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like Gecko) ' +
    'Version/9.0.1 Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0',
}
const SECRET = 'https://secret.example/place'
const SOCIAL = {
  title: 'A <b>"title"</b> & more',
  description: `'quoted' "text" </head><script>alert(1)</script>`,
  image_url: 'https://img.example/a.png?x="><script>&y=1',
}

let dir: string
let site: Site
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'slugline-social-'))
  await copyMigrated(dir)
  site = await openSite(dir)
})
afterEach(async () => {
  await site.close()
  rmSync(dir, { recursive: true, force: true })
})

const add = (values: object) =>
  site.addLink({ slug: 's', target_url: SECRET, social: JSON.stringify(SOCIAL), ...values })
const as = (agent: string, init: RequestInit = {}) =>
  site.visit('/s', { ...init, headers: { 'user-agent': agent } })

describe('the preview of a link', () => {
  test('is served to services that unfurl links, and escaped', async () => {
    const seq = await add({})
    for (const [name, agent] of Object.entries(UNFURLERS)) {
      const response = await as(agent)
      const html = await response.text()
      expect([name, response.status, response.headers.get('location')]).toEqual([name, 200, null])
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
      const seen = new Map<string, string>()
      const read = new HTMLRewriter().on('meta', {
        element(meta) {
          const key = meta.getAttribute('property') ?? meta.getAttribute('name')
          if (key !== null) seen.set(key, unescaped(meta.getAttribute('content') ?? ''))
        },
      })
      await read.transform(new Response(html)).text()
      expect(Object.fromEntries(seen)).toEqual({
        'og:type': 'website',
        'og:title': SOCIAL.title,
        'og:description': SOCIAL.description,
        'og:image': SOCIAL.image_url,
        'twitter:card': 'summary_large_image',
        'twitter:title': SOCIAL.title,
        'twitter:description': SOCIAL.description,
        'twitter:image': SOCIAL.image_url,
        description: SOCIAL.description,
      })
      expect(html).not.toContain('<script')
      expect(html).not.toContain('secret.example')
    }
    const head = await as(UNFURLERS.Slack, { method: 'HEAD' })
    expect(head.status).toBe(200)
    await site.count()
    const agents = Object.keys(UNFURLERS).length
    expect(await site.countersOf(seq)).toMatchObject({ human: 0, bot: agents })
  })

  test('is not served to others', async () => {
    await add({})
    for (const agent of ['Mozilla/5.0 Firefox/140.0', CRAWLER, 'curl/8', '']) {
      const response = await as(agent)
      expect([agent, response.status, response.headers.get('location')]).toEqual([
        agent,
        302,
        SECRET,
      ])
    }
    const shown = await site.visit('/s+', { headers: { 'user-agent': UNFURLERS.X } })
    expect(await shown.text()).not.toContain('og:title')
  })

  test('has only the given parts', async () => {
    await add({ social: JSON.stringify({ title: 'T', description: null, image_url: null }) })
    const html = await (await as(UNFURLERS.X)).text()
    expect(html).toContain('content="summary"')
    expect(html).not.toMatch(/description|image"|null/)
  })

  test.each([
    ['disabled', { enabled: 0 }, 410],
    ['scheduled', { starts_at: Date.now() + 60_000 }, 404],
    ['expired', { expires_at: 1 }, 410],
    ['exhausted', { max_clicks: 1, uses: 1 }, 410],
    ['exhausted before its start', { max_clicks: 1, uses: 1, starts_at: Date.now() + 60_000 }, 410],
    ['blocked', { block: '{"id":"blk_test","reason":"r","at":1}' }, 410],
    ['protected', { password_hash: 'x' }, 200],
  ])('of a link that is %s shows nothing of it', async (_, values, status) => {
    await add(values)
    const response = await as(UNFURLERS.Slack)
    const html = await response.text()
    expect(response.status).toBe(status)
    expect(html).not.toMatch(/og:title|secret\.example|img\.example/)
  })

  test('takes no use of a limited link', async () => {
    await add({ max_clicks: 1 })
    for (let n = 0; n < 3; n++) expect((await as(UNFURLERS.X)).status).toBe(200)
    expect((await as('Mozilla/5.0 Firefox/140.0')).status).toBe(302)
    expect((await as(UNFURLERS.X)).status).toBe(410)
  })
})

test('visits from excluded networks are redirected, and not counted', async () => {
  const excluded = { covers: (_: number, address: string) => address === '192.0.2.1' }
  const other = await openSite(dir, { excluded })
  try {
    const seq = await other.addLink({ slug: 'e', max_clicks: 1 })
    for (let n = 0; n < 3; n++) expect((await other.visit('/e', {}, '192.0.2.1')).status).toBe(302)
    expect((await other.visit('/e', {}, '192.0.2.2')).status).toBe(302)
    expect((await other.visit('/e', {}, '192.0.2.2')).status).toBe(410)
    expect((await other.visit('/e', {}, '192.0.2.1')).status).toBe(410)
    await other.count()
    expect(await other.countersOf(seq)).toMatchObject({ total: 1, human: 1 })
  } finally {
    await other.close()
  }
})

describe('of a link that is tracked', () => {
  const counters = async (tracking: string, visits: (() => Promise<unknown>)[]) => {
    const seq = await site.addLink({ slug: 's', tracking })
    for (const visit of visits) expect(((await visit()) as Response).status).toBe(302)
    await site.count()
    const [row] = await site.storage.read.db
      .selectFrom('link_counters')
      .selectAll()
      .where('link_seq', '=', seq)
      .execute()
    return row
  }
  const visits = () => [() => as('Mozilla/5.0 Firefox/140.0'), () => as(CRAWLER)]

  test('fully, clicks are counted and kept', async () => {
    expect(await counters('full', visits())).toMatchObject({ human: 1, bot: 1, bare_human: 0 })
  })

  test('only counted, without data about the visitor except the program', async () => {
    const network = { headers: { referer: 'https://from.example/', 'accept-language': 'de' } }
    const more = () => site.visit('/s?utm_source=x', network, '203.0.113.77')
    const row = await counters('count', [...visits(), more])
    expect(row).toMatchObject({
      total: 3,
      human: 2,
      bot: 1,
      unique_visitors: 2,
      bare_human: 2,
      bare_bot: 1,
      bare_unique: 2,
    })
    const lines = await journalText()
    expect(lines).not.toMatch(/from\.example|203\.0|"de"|utm|"x"/)
  })

  test('not at all, they leave no trace', async () => {
    expect(await counters('none', visits())).toMatchObject({ total: 0, last_clicked_at: null })
    expect(await journalText()).toBe('')
  })
})

/** The content of the journal. */
async function journalText(): Promise<string> {
  await site.journal.close()
  const files = [...new Bun.Glob('*.log').scanSync(join(dir, 'journal'))]
  return files.map((file) => readFileSync(join(dir, 'journal', file), 'utf8')).join('')
}

function unescaped(text: string): string {
  const names: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#x27': "'", amp: '&' }
  return text.replaceAll(/&(lt|gt|quot|#x27|amp);/g, (_, name: string) => names[name] ?? '')
}
