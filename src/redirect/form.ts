/** A password has at most 128 characters; percent-encoded, each may take twelve. */
export const FORM_BYTES_MAX = 16_384

const FORM_TYPE = /^(?:application\/(?:json|x-www-form-urlencoded)|multipart\/form-data)/i

/**
 * A field of a posted form, or of a JSON object sent by programs; empty if there is none, null if
 * the body is too large.
 */
export async function readField(request: Request, name: string): Promise<string | null> {
  const type = request.headers.get('content-type') ?? ''
  if (!FORM_TYPE.test(type)) return ''
  if (Number(request.headers.get('content-length') ?? 0) > FORM_BYTES_MAX) return null
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of request.body ?? []) {
    bytes += part.byteLength
    if (bytes > FORM_BYTES_MAX) return null
    parts.push(part)
  }
  const body = new Response(Buffer.concat(parts), { headers: { 'content-type': type } })
  try {
    const value = /^application\/json/i.test(type)
      ? ((await body.json()) as Record<string, unknown> | null)?.[name]
      : (await body.formData()).get(name)
    return typeof value === 'string' ? value : ''
  } catch {
    // Malformed.
    return ''
  }
}
