import { verifyNormalized } from '../lib/base/passwords.ts'
import type { HashQueue } from '../platform/limits/index.ts'
import { SEQS_PER_WORKSPACE } from '../platform/storage/index.ts'
import type { Pages } from './pages.ts'
import type { RedirectDeps } from './types.ts'
import type { Visit } from './visit.ts'

/** A password has at most 128 characters; percent-encoded, each may take twelve. */
const FORM_BYTES_MAX = 16_384

const FORM_TYPE = /^(?:application\/(?:json|x-www-form-urlencoded)|multipart\/form-data)/i

/**
 * A field of a posted form, or of a JSON object sent by programs; empty if there is none, null if
 * the body is too large.
 */
async function readField(request: Request, name: string): Promise<string | null> {
  const type = request.headers.get('content-type') ?? ''
  if (!FORM_TYPE.test(type)) return ''
  if (Number(request.headers.get('content-length') ?? 0) > FORM_BYTES_MAX) return null
  const parts: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const part of request.body ?? []) {
      bytes += part.byteLength
      if (bytes > FORM_BYTES_MAX) return null
      parts.push(part)
    }
    const body = new Response(Buffer.concat(parts), { headers: { 'content-type': type } })
    const value = /^application\/json/i.test(type)
      ? ((await body.json()) as Record<string, unknown> | null)?.[name]
      : (await body.formData()).get(name)
    return typeof value === 'string' ? value : ''
  } catch {
    // Malformed, or the visitor has disconnected.
    return ''
  }
}

/** Checks the password sent by a visitor. Null: it is correct, and the visit is unlocked. */
export async function answerGuess(
  visit: Visit,
  { seq, hash }: { seq: number; hash: string },
  deps: RedirectDeps & { hashes: HashQueue },
  pages: Pages,
): Promise<Response | null> {
  const { request } = visit
  const { guesses, hashes, verifyPassword = verifyNormalized } = deps
  const password = await readField(request, 'password')
  if (password === null) {
    return pages.error(request, 'PAYLOAD_TOO_LARGE', { params: { max: FORM_BYTES_MAX } })
  }
  const { allowed, retryAfterSeconds } = await guesses.take(seq, visit.address)
  const workspace = String(Math.floor(seq / SEQS_PER_WORKSPACE))
  const verify = () => verifyPassword(password, hash)
  if (allowed && password !== '' && (await hashes.run('link', workspace, verify))) {
    await guesses.right(seq)
    visit.unlocked = hash
    return null
  }
  if (allowed) return pages.password(request, { kind: 'wrong' })
  return pages.password(request, { kind: 'too_many', retryAfterSeconds })
}

/** The most UTF-16 units of a report that are stored. */
const REPORT_LENGTH_MAX = 1_000

/** Stores a report from the preview page, and responds. */
export async function answerReport(
  { request, domainNo, slugKey, address: from }: Visit,
  { report }: Pick<RedirectDeps, 'report'>,
  pages: Pages,
): Promise<Response> {
  const text = (await readField(request, 'report'))?.trim().slice(0, REPORT_LENGTH_MAX)
  if (!text) return pages.reported(request, { kind: 'empty' })
  const { allowed, retryAfterSeconds } = await report({ domainNo, slugKey, text, from })
  if (allowed) return pages.reported(request, { kind: 'sent' })
  return pages.reported(request, { kind: 'too_many', retryAfterSeconds })
}
