import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../lib/base/clock.ts'
import { silentLogger } from '../../lib/base/logger.ts'
import { createBackupSchedule } from './backup-schedule.ts'
import { createHealth, degraded, OK } from './health.ts'
import { createMetrics } from './metrics.ts'
import { watchClicks, watchCluster, watchFiles, watchHealth, watchServices } from './watched.ts'

const scrape = (
  metrics: ReturnType<typeof createMetrics>,
  { peer = '127.0.0.1', host = 'localhost:3000', headers = {}, path = '/metrics' } = {},
) =>
  metrics.answer(
    new Request(`http://${host}${path}`, { headers: { host, ...headers } }),
    path,
    peer,
  )

describe('metrics', () => {
  test('report what was counted', async () => {
    const metrics = createMetrics('local')
    metrics.request({ method: 'GET', route: '/api/v1/links/{id}', status: 200, durationMs: 2 })
    metrics.request({ method: 'GET', route: '/api/v1/links/{id}', status: 204, durationMs: 40_000 })
    metrics.request({ method: 'BREW', route: null, status: 404, durationMs: 1 })
    const redirects = { redirected: 2, not_found: 0 }
    metrics.counter('redirects_total', 'h', () =>
      Object.entries(redirects).map(([outcome, n]) => [`outcome="${outcome}"`, n]),
    )
    redirects.not_found++
    metrics.request({ method: 'GET', route: null, status: 429, durationMs: 1 })
    let backlog = 7
    metrics.gauge('journal_backlog_bytes', 'h', () => backlog)
    metrics.counter('clicks_lost_total', 'h', () => backlog)
    await metrics.render()
    backlog = 3
    const text = await metrics.render()
    const duration = 'slugline_http_request_duration_seconds'
    const labels = 'method="GET",route="/api/v1/links/{id}",status="2xx"'
    for (const line of [
      `${duration}_count{${labels}} 2`,
      'slugline_redirects_total{outcome="redirected"} 2',
      'slugline_redirects_total{outcome="not_found"} 1',
      'slugline_rate_limited_total 1',
      'slugline_journal_backlog_bytes 3',
      'slugline_clicks_lost_total 3',
      'slugline_unhandled_errors_total 0',
    ]) {
      expect(text).toContain(`${line}\n`)
    }
    const bucket = (bound: string) =>
      new RegExp(`^${duration}_bucket\\{(?=.*le="${bound}").*2xx.*\\} (\\d+)$`, 'm').exec(text)?.[1]
    expect([bucket('0.001'), bucket('0.0025'), bucket('10'), bucket('\\+Inf')]).toEqual([
      '0',
      '1',
      '1',
      '2',
    ])
    expect(text).toContain('method="other",route="none",status="4xx"')
    expect(text).toMatch(/^process_resident_memory_bytes \d+$/m)
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds [\d.e-]+$/m)
  })

  test('a metric that fails or takes too long is left out, and the others are there', async () => {
    const metrics = createMetrics('local')
    metrics.gauge('broken', 'h', () => {
      throw new Error('gone')
    })
    metrics.gauge('slow', 'h', () => new Promise(() => {}))
    metrics.gauge('late', 'h', async () => 5)
    const count = metrics.tally('mails_total', 'h', ['result="sent"', 'result="failed"'])
    count('result="sent"')
    count('result="other"')
    const text = await metrics.render()
    expect(text).toContain('# TYPE slugline_broken gauge\n')
    expect(text).not.toMatch(/^slugline_(?:broken|slow)\b/m)
    for (const line of [
      'late 5',
      'mails_total{result="sent"} 1',
      'mails_total{result="other"} 1',
    ]) {
      expect(text).toContain(`slugline_${line}\n`)
    }
    expect(text).toContain('slugline_mails_total{result="failed"} 0\n')
  })

  test('report each check of readiness, and the disk', async () => {
    const metrics = createMetrics('local')
    const checks = [
      { name: 'disk', check: () => degraded('low') },
      { name: 'journal', check: () => OK },
    ]
    const health = createHealth({ checks, clock: systemClock, logger: silentLogger })
    watchHealth(metrics, health, import.meta.dir)
    const text = await metrics.render()
    for (const [check, status, value] of [
      ['disk', 'ok', 0],
      ['disk', 'degraded', 1],
      ['disk', 'failed', 0],
      ['journal', 'ok', 1],
    ]) {
      const line = `slugline_check_status{check="${check}",status="${status}"} ${value}`
      expect(text).toContain(`${line}\n`)
    }
    const bytes = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1])
    expect(bytes('slugline_disk_free_bytes')).toBeGreaterThan(0)
    expect(bytes('slugline_disk_size_bytes')).toBeGreaterThan(bytes('slugline_disk_free_bytes'))
    const gone = createMetrics('local')
    watchHealth(gone, health, '/nowhere/at/all')
    expect(await gone.render()).not.toMatch(/^slugline_disk/m)
  })

  test('are only visible to this machine by default', async () => {
    const metrics = createMetrics('local')
    expect((await scrape(metrics))?.status).toBe(200)
    expect((await scrape(metrics, { peer: '::1', host: '[::1]:3000' }))?.status).toBe(200)
    expect(scrape(metrics, { peer: '::ffff:127.0.0.1', host: '127.0.0.1' })).not.toBeNull()
    expect(scrape(metrics, { peer: '192.0.2.1' })).toBeNull()
    expect(scrape(metrics, { host: 'sho.rt' })).toBeNull()
    expect(scrape(metrics, { host: 'localhost.evil.example' })).toBeNull()
    for (const name of ['X-Forwarded-For', 'Forwarded', 'Via', 'X-Real-IP']) {
      expect(scrape(metrics, { headers: { [name]: '127.0.0.1' } })).toBeNull()
    }
    expect(scrape(metrics, { path: '/metrics/' })).toBeNull()
  })

  test('are visible to all or no one if configured', async () => {
    const far = { peer: '192.0.2.1', host: 'sho.rt', headers: { via: '1.1 proxy' } }
    expect((await scrape(createMetrics('public'), far))?.status).toBe(200)
    expect(scrape(createMetrics('off'))).toBeNull()
  })
})

const names = (of: string, pattern: RegExp) =>
  [...new Set([...of.matchAll(pattern)].map(([, name]) => name as string))].sort()

/** All metrics. */
async function allMetrics(): Promise<string> {
  const metrics = createMetrics('local')
  const state = () => new Proxy({}, { get: () => 0 }) as never
  const part = { state }
  const journal = { lost: 0, healthy: true }
  const counts = { redirected: 1, not_found: 0, gone: 0, page: 0, unavailable: 0, limited: 0 }
  const redirect = { counts }
  watchClicks(metrics, { journal, supervisor: part, redirect, statistics: part })
  watchFiles(metrics, import.meta.dir)
  const database = { connections: state }
  watchCluster(metrics, { resolver: part, cluster: part, database, clock: systemClock })
  const backups = createBackupSchedule({
    dataDir: import.meta.dir,
    schedule: '@daily',
    clock: systemClock,
    logger: silentLogger,
  })
  backups.watch(metrics)
  backups.stop()
  for (const name of ['redirect', 'postgres_query']) {
    metrics.histogram(`${name}_duration_seconds`, 'h').observe(0.003)
  }
  const health = createHealth({ checks: [], clock: systemClock, logger: silentLogger })
  watchHealth(metrics, health, import.meta.dir)
  watchServices(metrics, {
    jobs: { open: async () => 0, running: () => 0 },
    eventStreams: { count: () => 0 },
    statistics: { liveStreams: () => 0 },
    mailer: { waiting: () => 0 },
  })
  for (const name of ['jobs_ended', 'mails', 'sign_in_failures']) {
    metrics.tally(`${name}_total`, 'c', [])
  }
  metrics.counter('missed_visits_dropped_total', 'c', () => 0)
  metrics.counter('webhook_requests_total', 'c', () => 0)
  metrics.gauge('webhooks_served', 'g', () => 0)
  return metrics.render()
}

for (const file of ['prometheus/alerts.yml', 'grafana/slugline.json']) {
  test(`deploy/${file} asks for metrics that there are`, async () => {
    const there = new Set(names(await allMetrics(), /^# TYPE (\w+)/gm))
    const text = readFileSync(join(import.meta.dir, '../../../deploy', file), 'utf8')
    const asked = names(text, /\b((?:slugline|process|nodejs)_\w+)/g)
    expect(asked.length).toBeGreaterThan(10)
    expect(asked.filter((name) => !there.has(name.replace(/_(?:bucket|sum|count)$/, '')))).toEqual(
      [],
    )
  })
}

test('docs/operating.md has exactly these metrics', async () => {
  const there = names(await allMetrics(), /^# TYPE (slugline_\w+)/gm)
  expect(there.length).toBeGreaterThan(30)
  const docs = readFileSync(join(import.meta.dir, '../../../docs/operating.md'), 'utf8')
  expect(names(docs, /`(slugline_\w+)`/g)).toEqual(there)
})
