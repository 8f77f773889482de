import { useQuery, useQueryClient } from '@tanstack/react-query'
import { usePlace, useSessionChanged } from '../../../app/workspace.tsx'
import { deleteLogo, logoQuery, setLogo, shownLogo } from '../../links/qr/queries.ts'
import { ImageUpload } from '../image-upload.tsx'

/** The picture in the middle of the workspace's QR codes. */
export function LogoSection({ writable }: { writable: boolean }) {
  const { workspace } = usePlace()
  const client = useQueryClient()
  const sessionChanged = useSessionChanged()
  const { queryKey } = logoQuery(workspace)
  const { data: logo } = useQuery(logoQuery(workspace))
  const show = async (made: Awaited<ReturnType<typeof setLogo>> | null) => {
    client.setQueryData(queryKey, made)
    await sessionChanged()
  }
  return (
    <ImageUpload
      kind="logo"
      image={logo ? shownLogo(logo).href : null}
      writable={writable}
      upload={async (file) => show(await setLogo(file))}
      remove={async () => {
        await deleteLogo()
        await show(null)
      }}
    />
  )
}
