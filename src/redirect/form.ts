/** A password is at most 128 characters; percent-encoded, each may take twelve. */
export const FORM_BYTES_MAX = 16_384

/**
 * A field of a posted form, or of a JSON object as programs send it; empty when there is none, null
 * when the body is too large.
 */
export async function readField(request: Request, name: string): Promise<string | null> {
  const type = request.headers.get('content-type') ?? ''
  const read = READERS.find(({ media }) => type.toLowerCase().startsWith(media))?.read
  if (read === undefined) return ''
  const length = Number(request.headers.get('content-length') ?? 0)
  if (length > FORM_BYTES_MAX) return null
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of request.body ?? []) {
    bytes += part.byteLength
    if (bytes > FORM_BYTES_MAX) return null
    parts.push(part)
  }
  try {
    const value = await read(Buffer.concat(parts), type, name)
    return typeof value === 'string' ? value : ''
  } catch {
    return ''
  }
}

/** What a form may come in, each throwing on what isn't well formed. */
const READERS: { media: string; read: (body: Buffer, type: string, name: string) => unknown }[] = [
  {
    media: 'application/x-www-form-urlencoded',
    read: (body, _, name) => new URLSearchParams(body.toString()).get(name),
  },
  { media: 'application/json', read: (body, _, name) => JSON.parse(body.toString())?.[name] },
  {
    media: 'multipart/form-data',
    read: async (body, type, name) =>
      (await new Response(body, { headers: { 'content-type': type } }).formData()).get(name),
  },
]
