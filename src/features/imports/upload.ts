import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { AppError, invalid } from '../../lib/errors/index.ts'
import type { Kind } from './records.ts'

/** The media types of an import's body, with examples. */
export const UPLOAD_EXAMPLES = {
  'text/csv': 'destination_url,slug\nhttps://example.com/summer,summer-sale\n',
  'application/x-ndjson': '{"destination_url":"https://example.com/summer","slug":"summer-sale"}\n',
  'application/json': [{ destination_url: 'https://example.com/summer', slug: 'summer-sale' }],
  'multipart/form-data': { file: 'destination_url\nhttps://example.com/summer\n' },
}
const UPLOAD_TYPES = Object.keys(UPLOAD_EXAMPLES)

/** The most bytes that a file may have. */
export const FILE_BYTES_MAX = 200 * 1024 * 1024
/** The longest name of a file, in Unicode code points. */
export const FILE_NAME_MAX = 255
/** The most bytes of a form besides its file. */
const FORM_BYTES_MAX = 2 * 1024 * 1024
/** The size of a file's chunks. */
const PART_BYTES = 512 * 1024

/** A received file. */
export interface ReceivedFile {
  kind: Kind
  name: string | null
  /** Options besides the file in a multipart body. */
  fields: Record<string, string>
  /** SHA-256 of the whole body. */
  digest: string
}

/** Receives the next chunk of a file. False: it needs no more. */
export type Sink = (text: string) => Promise<boolean>

/**
 * Reads the file of a request in chunks.
 * @throws AppError UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, VALIDATION_FAILED
 */
export async function receiveFile(request: Request, sink: Sink): Promise<ReceivedFile> {
  const type = request.headers.get('content-type') ?? ''
  const [mediaType = ''] = type.toLowerCase().split(';')
  if (!UPLOAD_TYPES.some((each) => each === mediaType.trim())) throw unsupported()
  const isForm = mediaType.trim() === 'multipart/form-data'
  const length = Number(request.headers.get('content-length') ?? 0)
  if (length > FILE_BYTES_MAX + (isForm ? FORM_BYTES_MAX : 0)) throw tooLarge()
  const reader = createReader(sink)
  if (isForm) return receiveForm(request, type, reader)
  for await (const bytes of request.body ?? []) if (!(await reader.add(bytes))) break
  await reader.end()
  const kind = kindOf(mediaType.trim(), null, reader.head())
  return { kind, name: null, fields: {}, digest: reader.digest() }
}

/** Reads a form with one file, and options before or after it. */
async function receiveForm(
  request: Request,
  type: string,
  reader: ReturnType<typeof createReader>,
): Promise<ReceivedFile> {
  let file: { name: string | null; mediaType: string } | undefined
  const fields: Record<string, string> = {}
  let content: Readable | undefined
  let reading: Promise<void> = Promise.resolve()
  const form = formOf(type)
  form.on('field', (name, value) => {
    fields[name] = value
    reader.note(`${name}=${value}\n`)
  })
  form.on('file', (_, stream, name, __, mediaType) => {
    file = { name: nameOf(name), mediaType }
    content = stream
    reading = (async () => {
      for await (const bytes of stream) if (!(await reader.add(bytes as Uint8Array))) break
      await reader.end()
    })()
    reading.catch((error) => form.destroy(error as Error))
  })
  const body = Readable.fromWeb((request.body ?? new ReadableStream()) as never)
  try {
    await pipeline(body, form)
    await reading
  } catch (error) {
    // The form doesn't end its file when it fails, for example because the client disconnects.
    content?.destroy()
    const cause = await reading.then(
      () => error,
      (own) => own,
    )
    throw cause instanceof AppError ? cause : invalid({ field: 'file', code: 'REQUIRED' })
  }
  if (file === undefined) throw invalid({ field: 'file', code: 'REQUIRED' })
  const { name, mediaType } = file
  return { kind: kindOf(mediaType, name, reader.head()), name, fields, digest: reader.digest() }
}

/** The name of a file, to be shown; null: it has none. */
function nameOf(given: string | undefined): string | null {
  const name = basename(given ?? '')
    .toWellFormed()
    .replace(/\p{Cc}/gu, '')
  return [...name.slice(0, 2 * FILE_NAME_MAX)].slice(0, FILE_NAME_MAX).join('') || null
}

function formOf(type: string): BusboyInstance {
  try {
    return new Busboy({
      headers: { 'content-type': type },
      limits: { files: 1, fields: 20, fieldSize: 65_536, parts: 21 },
    })
  } catch {
    throw unsupported()
  }
}

/** Spreadsheets write “Unicode text” as UTF-16, which begins with a byte order mark. */
function encodingOf([first, second]: Iterable<number> = []): Bun.Encoding {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  // Bun's types don't have it.
  return first === 0xfe && second === 0xff ? ('utf-16be' as 'utf-16le') : 'utf-8'
}

/** Decodes UTF-8 or UTF-16 into chunks. */
function createReader(sink: Sink) {
  let decoder: TextDecoder | undefined
  const hasher = new Bun.CryptoHasher('sha256')
  let bytesSoFar = 0
  let part = ''
  let head = ''
  let isWanted = true

  function decode(bytes?: Uint8Array): string {
    try {
      decoder ??= new TextDecoder(encodingOf(bytes), { fatal: true })
      const text = bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true })
      // NUL isn't valid in links, and PostgreSQL can't store it.
      if (!text.includes('\0')) return text
    } catch {}
    throw invalid({ field: 'file', code: 'INVALID_ENCODING' })
  }

  async function handOn(text: string): Promise<void> {
    if (text === '' || !isWanted) return
    if (head === '') head = text.slice(0, 1_024)
    isWanted = await sink(text)
  }

  return {
    async add(bytes: Uint8Array): Promise<boolean> {
      bytesSoFar += bytes.byteLength
      if (bytesSoFar > FILE_BYTES_MAX) throw tooLarge()
      hasher.update(bytes)
      part += decode(bytes)
      if (part.length >= PART_BYTES) {
        await handOn(part)
        part = ''
      }
      return isWanted
    },
    async end(): Promise<void> {
      // A file that is cut off on purpose may end within a character.
      if (isWanted) part += decode()
      await handOn(part)
      part = ''
    },
    note: (text: string) => void hasher.update(text),
    head: () => head,
    digest: () => hasher.digest('base64url'),
  }
}

const KINDS: Readonly<Record<string, Kind>> = {
  'text/csv': 'csv',
  'application/x-ndjson': 'ndjson',
  'application/json': 'json',
  csv: 'csv',
  tsv: 'csv',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  json: 'json',
}

/** The format of a file: by media type or name, or else by content. */
function kindOf(mediaType: string, name: string | null, head: string): Kind {
  const known = KINDS[mediaType] ?? KINDS[/\.(\w+)$/.exec(name?.toLowerCase() ?? '')?.[1] ?? '']
  if (known !== undefined) return known
  const text = head.replace(/^\ufeff/, '').trimStart()
  if (text.startsWith('[')) return 'json'
  if (!text.startsWith('{')) return 'csv'
  const [line = ''] = text.split('\n')
  return line.trimEnd().endsWith('}') ? 'ndjson' : 'json'
}

function tooLarge(): AppError {
  return new AppError('PAYLOAD_TOO_LARGE', { params: { max: FILE_BYTES_MAX } })
}

function unsupported(): AppError {
  return new AppError('UNSUPPORTED_MEDIA_TYPE', {
    params: { allowed: UPLOAD_TYPES },
    headers: { 'Accept-Post': UPLOAD_TYPES.join(', ') },
  })
}
