import { useQueryClient } from '@tanstack/react-query'
import { usePlace, useSessionChanged } from '../../../app/workspace.tsx'
import { ImageUpload } from '../image-upload.tsx'
import { deletePicture, setPicture } from '../queries.ts'

/** The person's picture, for those who share a workspace with them. */
export function PictureSection() {
  const { user } = usePlace()
  const client = useQueryClient()
  const sessionChanged = useSessionChanged()
  const changed = async () => {
    await sessionChanged()
    await client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] === 'members' })
  }
  return (
    <ImageUpload
      kind="picture"
      round
      image={user.picture}
      upload={(file) => setPicture(file).then(changed)}
      remove={() => deletePicture().then(changed)}
    />
  )
}
