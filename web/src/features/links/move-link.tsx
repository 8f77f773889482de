import { Suspense } from 'react'
import { lazyPart } from '../../lib/lazy-part.ts'
import { useLinkActions } from './actions.ts'
import type { Link } from './calls.ts'

const MoveDialog = lazyPart(() => import('../groups/folder-dialogs.tsx'), 'MoveDialog')

/** Chooses the folder of a link; null: closed. */
export function MoveLink({ link, onClose }: { link: Link | null; onClose: () => void }) {
  const actions = useLinkActions()
  if (link === null) return null
  return (
    <Suspense>
      <MoveDialog
        value={link.folder_id}
        onClose={onClose}
        onChoose={(folder) => {
          onClose()
          void actions.move(link, folder)
        }}
      />
    </Suspense>
  )
}
