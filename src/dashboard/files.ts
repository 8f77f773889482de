import { extname } from 'node:path'
import { acceptedEncoding } from '../base/accept.ts'
import type { BuiltFiles } from './built.ts'

/** A built file that may be asked for. */
export interface StaticFile {
  path: string
  type: string
  /** Its compressed forms, best first, and where each can be read. */
  encodings: readonly (readonly [name: 'br' | 'gzip', path: string])[]
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
    files.set(name, {
      path,
      type,
      encodings: ENCODINGS.flatMap(([encoding, suffix]) => {
        const compressed = built.get(name + suffix)
        return compressed === undefined ? [] : [[encoding, compressed] as const]
      }),
      hashed: name.startsWith('assets/'),
    })
  }
  return files
}

/** Answers with a file, compressed where the client takes that. */
export function serveFile(
  file: StaticFile,
  request: Request,
  base: Readonly<Record<string, string>>,
): Response {
  const accepted = acceptedEncoding(
    request.headers.get('accept-encoding'),
    file.encodings.map(([name]) => name),
  )
  const encoding = file.encodings.find(([name]) => name === accepted)
  const headers: Record<string, string> = {
    ...base,
    'Content-Type': file.type,
    'Cache-Control': file.hashed ? 'public, max-age=31536000, immutable' : 'public, max-age=3600',
    // Also where it is opened by itself: an SVG could hold a script.
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  }
  if (file.encodings.length > 0) headers.Vary = 'Accept-Encoding'
  if (encoding !== undefined) headers['Content-Encoding'] = encoding[0]
  return new Response(Bun.file(encoding?.[1] ?? file.path), { headers })
}
