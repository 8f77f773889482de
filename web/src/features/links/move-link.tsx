import { lazy, Suspense } from 'react'
import { part } from '../../lib/part.ts'
import { useLinkActions } from './actions.ts'
import type { Link } from './calls.ts'

const MoveDialog = lazy(async () => ({
  default: (await part(() => import('../groups/folder-dialogs.tsx'))).MoveDialog,
}))

/** Asks into which folder a link goes; null: none is asked for. */
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
