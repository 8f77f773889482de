import { extname } from 'node:path'
import { acceptedEncoding } from '../base/accept.ts'
import type { BuiltFiles } from './built.ts'

/** A built file that may be asked for. */
export interface StaticFile {
  path: string
  type: string
  /** Where its compressed forms can be read, best first. */
  compressed: ReadonlyMap<string, string>
  /** Its name changes with its content, so it may be kept for good. */
  hashed: boolean
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.png': 'image/png',
}
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

/**
 * The files of a build by their path below `/app/`. Only what was there when the server first
 * looked is ever served: no path of a request touches the disk.
 */
export function listFiles(built: BuiltFiles): Map<string, StaticFile> {
  const files = new Map<string, StaticFile>()
  for (const [name, path] of built) {
    const type = TYPES[extname(name)]
    // What begins with a dot is the build's own: the manifest, the stamp.
    if (type === undefined || name.startsWith('.')) continue
    const compressed = new Map<string, string>()
    for (const [encoding, suffix] of ENCODINGS) {
      const file = built.get(name + suffix)
      if (file !== undefined) compressed.set(encoding, file)
    }
    files.set(name, { path, type, compressed, hashed: name.startsWith('assets/') })
  }
  return files
}

/** Answers with a file, compressed where the client takes that. */
export function serveFile(
  file: StaticFile,
  request: Request,
  base: Readonly<Record<string, string>>,
): Response {
  const { compressed } = file
  const encoding = acceptedEncoding(request.headers.get('accept-encoding'), [...compressed.keys()])
  const headers: Record<string, string> = {
    ...base,
    'Content-Type': file.type,
    'Cache-Control': file.hashed ? 'public, max-age=31536000, immutable' : 'public, max-age=3600',
    // Also where it is opened by itself: an SVG could hold a script.
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  }
  if (compressed.size > 0) headers.Vary = 'Accept-Encoding'
  if (encoding !== undefined) headers['Content-Encoding'] = encoding
  return new Response(Bun.file(compressed.get(encoding ?? '') ?? file.path), { headers })
}
