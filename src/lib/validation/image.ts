import { PNG } from 'pngjs'
import { type AppError, invalid } from '../errors/index.ts'

/** Larger images are refused before they are decoded. */
export const IMAGE_SIDE_MAX = 4_096
const IMAGE_BYTES_MAX = 1_048_576
/** The size of a JSON body with the largest image in Base64. */
export const IMAGE_BODY_BYTES_MAX = Math.ceil(IMAGE_BYTES_MAX / 3) * 4 + 1_024
/** The formats accepted for upload. Not SVG: it can hold scripts and external URLs. */
const FORMATS: readonly string[] = ['png', 'jpeg', 'webp']
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/** An upload converted to PNG, in Base64. */
export interface CheckedImage {
  png: string
  width: number
  height: number
}

/**
 * Converts an image in Base64 to a PNG of at most `side` pixels a side. Only pixels remain:
 * metadata of the upload is dropped. Call it outside of transactions. @throws AppError
 * VALIDATION_FAILED (INVALID_IMAGE)
 */
export async function readImage(base64: string, side: number): Promise<CheckedImage> {
  const bytes = Buffer.from(base64, 'base64')
  if (!BASE64.test(base64) || bytes.length === 0 || bytes.length > IMAGE_BYTES_MAX)
    throw invalidImage()
  let small: Uint8Array
  try {
    const image = new Bun.Image(bytes, { maxPixels: IMAGE_SIDE_MAX ** 2 })
    const { format, width, height } = await image.metadata()
    if (!FORMATS.includes(format) || Math.max(width, height) > IMAGE_SIDE_MAX) throw invalidImage()
    small = await image
      .resize(side, side, { fit: 'inside', withoutEnlargement: true })
      .png()
      .bytes()
  } catch {
    throw invalidImage()
  }
  // Re-encoded, because the image library keeps color profiles.
  const { width, height, data } = PNG.sync.read(Buffer.from(small))
  const png = new PNG({ width, height })
  data.copy(png.data)
  return { png: PNG.sync.write(png).toString('base64'), width, height }
}

function invalidImage(): AppError {
  const params = { allowed: ['PNG', 'JPEG', 'WebP'], max: IMAGE_SIDE_MAX }
  return invalid({ field: 'image', code: 'INVALID_IMAGE', params })
}
