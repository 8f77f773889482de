import { queryOptions } from '@tanstack/react-query'
import type { QrStyle } from '../../../../../src/qr/drawing.ts'
import { api, ok, open, type Schemas } from '../../../api/client.ts'
import { ApiError } from '../../../api/errors.ts'
import type { Link } from '../calls.ts'

export type StoredLogo = Schemas['Logo']

/** The workspace's logo; null: it has none. */
export const logoQuery = (workspace: string) =>
  queryOptions({
    queryKey: [workspace, 'logo'],
    async queryFn({ signal }): Promise<StoredLogo | null> {
      try {
        return await ok(api.GET('/api/v1/logo', { signal }))
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null
        throw error
      }
    },
  })

/** The logo as pictures on pages have it. */
export function shownLogo({ image, width, height }: StoredLogo) {
  return { href: `data:image/png;base64,${image}`, width, height }
}

/** @throws ApiError */
export async function setLogo(file: Blob): Promise<StoredLogo> {
  const image = await base64Of(file)
  return ok(api.PUT('/api/v1/logo', { body: { image } }))
}

/** @throws ApiError */
export async function deleteLogo(): Promise<void> {
  await ok(api.DELETE('/api/v1/logo'))
}

function base64Of(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })
}

/** The code as a file, drawn by the server. @throws ApiError */
export async function qrFile(
  { id }: Pick<Link, 'id'>,
  format: 'svg' | 'png',
  { size, logo, ...style }: QrStyle & { size: number; logo: boolean },
): Promise<Blob> {
  const query = { ...style, size, logo }
  return (await open('GET', `/api/v1/links/${id}/qr.${format}`, { query })).blob()
}
