import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** Caddy, for deploy/Caddyfile; null: not installed. */
export const CADDY = Bun.which('caddy')

const CADDYFILE = resolve(import.meta.dir, '../../deploy/Caddyfile')

/** A visitor's response through Caddy. */
export interface Passed {
  status: number | undefined
  location: string | undefined
}

/**
 * Starts Caddy with deploy/Caddyfile in front of nodes, with other ports, and certificates by its
 * own authority instead of ACME.
 */
export async function startCaddy(nodes: readonly string[]) {
  const dir = mkdtempSync(join(tmpdir(), 'slugline-caddy-'))
  const [https, http, ask] = freePorts(3)
  const own = [
    ...['admin off', 'local_certs', 'skip_install_trust', 'default_bind 127.0.0.1'],
    ...[`https_port ${https}`, `http_port ${http}`, `storage file_system ${dir}`],
  ]
  const text = readFileSync(CADDYFILE, 'utf8')
    .replace('{\n', `{\n${own.join('\n')}\n`)
    .replace(/^\tto .*$/m, `\tto ${nodes.map((node) => new URL(node).host).join(' ')}`)
    .replaceAll(':9180', `:${ask}`)
  const file = join(dir, 'Caddyfile')
  writeFileSync(file, text)
  const command = [CADDY as string, 'run', '--adapter', 'caddyfile', '--config', file]
  const env = { HOME: dir, XDG_CONFIG_HOME: dir, XDG_DATA_HOME: dir, ACME_EMAIL: 'a@sho.rt' }
  const child = Bun.spawn(command, { env, stdout: 'ignore', stderr: 'pipe' })
  let said = ''
  const decoder = new TextDecoder()
  // Read to the end: Caddy ends when its output is closed.
  const isReady = new Promise<boolean>((resolve) => {
    const read = async () => {
      for await (const part of child.stderr as ReadableStream<Uint8Array>) {
        said += decoder.decode(part)
        if (said.includes('serving initial configuration')) resolve(true)
      }
      resolve(false)
    }
    void read()
  })
  if (!(await isReady)) throw new Error(`caddy: ${said}`)
  const root = () => readFileSync(join(dir, 'pki/authorities/local/root.crt'), 'utf8')
  return {
    /** A visit over TLS with the host's certificate. Rejects if Caddy gets none for it. */
    visit: (host: string, path: string) =>
      new Promise<Passed>((passed, failed) => {
        const asked = request(
          {
            ...{ host: '127.0.0.1', port: https, path, servername: host, agent: false },
            ...{ ca: root(), headers: { host, accept: 'text/html' } },
          },
          (response) => {
            response.resume()
            passed({ status: response.statusCode, location: response.headers.location })
          },
        )
        asked.on('error', failed)
        asked.end()
      }),
    async close() {
      child.kill('SIGTERM')
      await child.exited
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** Free ports of loopback, chosen together so that they differ. */
function freePorts(count: number): number[] {
  const servers = Array.from({ length: count }, () =>
    Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() }),
  )
  const ports = servers.map(({ port }) => port as number)
  for (const server of servers) server.stop(true)
  return ports
}
