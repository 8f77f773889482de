import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** An authority that signs servers' certificates. */
export interface TestAuthority {
  /** Its own certificate, for clients to trust. */
  readonly ca: string
  /** A key and a certificate for 127.0.0.1, or for another subject; paths of PEM files. */
  issue(name: string, subject?: string): { key: string; certificate: string }
  dispose(): void
}

/** Why tests with certificates are skipped on this machine; undefined: they aren't. */
export const opensslMissing: string | undefined =
  Bun.which('openssl') === null ? 'needs openssl' : undefined

/** Makes an authority. */
export function makeAuthority(): TestAuthority {
  const dir = mkdtempSync(join(tmpdir(), 'slugline-ca-'))
  const ca = join(dir, 'ca.pem')
  const caKey = join(dir, 'ca.key')
  openssl('req', '-x509', ...newKey(caKey), '-out', ca, '-days', '2', '-subj', '/CN=Test CA')

  return {
    ca,
    issue(name, subject = 'IP:127.0.0.1') {
      const [key, request, certificate, extensions] = ['key', 'csr', 'pem', 'ext'].map((kind) =>
        join(dir, `${name}.${kind}`),
      ) as [string, string, string, string]
      openssl('req', ...newKey(key), '-out', request, '-subj', `/CN=${name}`)
      writeFileSync(extensions, `subjectAltName=${subject}\n`)
      const signed = ['-CA', ca, '-CAkey', caKey, '-CAcreateserial', '-extfile', extensions]
      openssl('x509', '-req', '-in', request, '-out', certificate, '-days', '2', ...signed)
      return { key, certificate }
    },
    dispose: () => rmSync(dir, { recursive: true, force: true }),
  }
}

function newKey(file: string): string[] {
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  return [...kind, '-keyout', file]
}

function openssl(...args: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(['openssl', ...args], {
    stdout: 'ignore',
    stderr: 'pipe',
  })
  if (exitCode !== 0) throw new Error(`openssl: ${stderr}`)
}
