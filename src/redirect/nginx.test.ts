import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NGINX, settingsOfDocs } from '../../test/harness/nginx.ts'
import { migrate } from '../platform/storage/index.ts'
import { openSite, type Site } from './testing/site.ts'

let dir: string
let site: Site
let server: Bun.Server<undefined>
let nginx: Bun.Subprocess

describe.skipIf(NGINX === null)('behind nginx, configured as in docs/operating.md', () => {
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'slugline-nginx-'))
    await migrate(dir)
    site = await openSite(dir)
    const fetch = (request: Request) => site.redirect.fetch(request, () => '192.0.2.1')
    server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch })
    const file = join(dir, 'nginx.conf')
    writeFileSync(file, settingsOfDocs(dir, `unix:${dir}/nginx.sock`, `127.0.0.1:${server.port}`))
    // The socket exists before the master logs on stderr that it has started its worker.
    const command = [NGINX as string, '-c', file, '-e', 'stderr', '-g', 'error_log stderr notice;']
    nginx = Bun.spawn(command, { stderr: 'pipe', stdout: 'ignore' })
    let said = ''
    for await (const part of nginx.stderr as ReadableStream<Uint8Array>) {
      said += new TextDecoder().decode(part)
      if (said.includes('start worker process ')) break
    }
    expect(said).toContain('start worker process ')
  })

  afterAll(async () => {
    nginx.kill('SIGQUIT')
    await nginx.exited
    await server.stop(true)
    await site.close()
    rmSync(dir, { recursive: true, force: true })
  })

  const visit = (path: string) =>
    fetch(`http://sho.rt${path}`, { unix: join(dir, 'nginx.sock'), redirect: 'manual' })

  test('the longest destination is forwarded', async () => {
    const start = 'https://example.com/'
    const target_url = start + 'x'.repeat(8192 - start.length)
    await site.addLink({ slug: 'long', target_url })
    const response = await visit('/long')
    expect([response.status, response.headers.get('location')]).toEqual([302, target_url])
  })

  test('the longest query is forwarded, and a longer one is dropped', async () => {
    const target_url = 'https://example.com/'
    await site.addLink({ slug: 'query', target_url, forward_query: 1 })
    const query = `?a=${'x'.repeat(8192 - target_url.length - '?a='.length)}`
    const longest = await visit(`/query${query}`)
    expect([longest.status, longest.headers.get('location')]).toEqual([302, target_url + query])
    const longer = await visit(`/query${query}x`)
    expect([longer.status, longer.headers.get('location')]).toEqual([302, target_url])
  })
})
