import { queryOptions } from '@tanstack/react-query'
import { api, ok, open, type Schemas } from '../../../api/client.ts'
import type { SessionWorkspace } from '../../../api/session.ts'
import { workspaceKey } from '../../../api/workspace-key.ts'
import { base64Of } from '../../../lib/base64.ts'
import type { Link } from '../queries.ts'

type StoredLogo = Schemas['Logo']

/** The workspace's logo; null: it has none. */
export const logoQuery = ({ id, has_logo }: Pick<SessionWorkspace, 'id' | 'has_logo'>) =>
  queryOptions({
    queryKey: workspaceKey(id, 'logo'),
    queryFn: ({ signal }): Promise<StoredLogo | null> => ok(api.GET('/api/v1/logo', { signal })),
    enabled: has_logo,
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

/** How the workspace's codes look. */
export type QrStyle = Schemas['QrStyle']

export const qrStyleQuery = (workspace: string) =>
  queryOptions({
    queryKey: workspaceKey(workspace, 'qr-style'),
    queryFn: ({ signal }) => ok(api.GET('/api/v1/workspace/qr-style', { signal })),
  })

/** @throws ApiError */
export function setQrStyle(body: QrStyle): Promise<QrStyle> {
  return ok(api.PUT('/api/v1/workspace/qr-style', { body }))
}

/** The code as a file, drawn by the server. @throws ApiError */
export async function qrFile(
  { id }: Pick<Link, 'id'>,
  format: 'svg' | 'png',
  query: QrStyle & { size: string },
): Promise<Blob> {
  return (await open('GET', `/api/v1/links/${id}/qr.${format}`, { query })).blob()
}
