import { AppError, type AppErrorOptions } from '../errors/index.ts'

/** The most bytes that a body may have, unless the endpoint says otherwise. */
export const BODY_BYTES_MAX = 64 * 1024

const JSON_TYPES = ['application/json']
const PATCH_TYPES = ['application/merge-patch+json', 'application/json']

/** The media types that PATCH takes: the value of `Accept-Patch` (RFC 5789 §3.1). */
export const ACCEPT_PATCH = PATCH_TYPES.join(', ')

/**
 * The bytes of the body.
 * @throws AppError UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE; INVALID_JSON when it breaks off.
 */
export async function readBody(
  request: Request,
  isPatch: boolean,
  bytesMax = BODY_BYTES_MAX,
): Promise<Uint8Array> {
  const { headers } = request
  const type = headers.get('content-type')
  const encoding = headers.get('content-encoding')
  if (type === null || !isOneOf(type, isPatch ? PATCH_TYPES : JSON_TYPES)) {
    throw unsupported(isPatch)
  }
  if (encoding !== null && encoding.toLowerCase() !== 'identity') {
    throw unsupported(isPatch, {
      headers: { 'Accept-Encoding': 'identity' },
      details: [
        { field: 'Content-Encoding', code: 'INVALID_HEADER', params: { expected: 'identity' } },
      ],
    })
  }
  const length = headers.get('content-length')
  if (length !== null && Number(length) > bytesMax) throw tooLarge(bytesMax)
  try {
    if (length !== null || request.body === null) return new Uint8Array(await request.arrayBuffer())
    return await readStream(request.body, bytesMax)
  } catch (error) {
    if (error instanceof AppError) throw error
    throw new AppError('INVALID_JSON')
  }
}

/**
 * Whether a `Content-Type` is one of these. Of its parameters only a charset matters, which may
 * be none but UTF-8: JSON has no other (RFC 8259 §8.1), though many clients state it.
 */
function isOneOf(contentType: string, types: readonly string[]): boolean {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';')
  if (!types.includes(type.trim())) return false
  return parameters.every((parameter) => !/^\s*charset\s*=(?!\s*"?utf-8"?\s*$)/.test(parameter))
}

function unsupported(isPatch: boolean, { headers, details }: AppErrorOptions = {}): AppError {
  const allowed = isPatch ? PATCH_TYPES : JSON_TYPES
  return new AppError('UNSUPPORTED_MEDIA_TYPE', {
    params: { allowed },
    details,
    headers: { [isPatch ? 'Accept-Patch' : 'Accept-Post']: allowed.join(', '), ...headers },
  })
}

function tooLarge(max: number): AppError {
  return new AppError('PAYLOAD_TOO_LARGE', { params: { max } })
}

/** Reads a body of unknown length, and stops where it gets too long. */
async function readStream(body: ReadableStream<Uint8Array>, bytesMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.byteLength
    if (length > bytesMax) throw tooLarge(bytesMax)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, length)
}

/** Whether a request says that it brings none (RFC 9112, 6.3). */
export function hasNoBody({ headers }: Request): boolean {
  return (
    headers.get('content-type') === null &&
    headers.get('transfer-encoding') === null &&
    Number(headers.get('content-length') ?? 0) === 0
  )
}
