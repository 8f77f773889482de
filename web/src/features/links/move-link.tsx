import { Suspense } from 'react'
import { lazyComponent } from '../../lib/lazy-component.ts'
import { useLinkActions } from './actions.ts'
import type { Link } from './calls.ts'

const MoveDialog = lazyComponent(() => import('../groups/folder-dialogs.tsx'), 'MoveDialog')

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
