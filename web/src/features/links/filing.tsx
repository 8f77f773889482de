import { type ReactNode, Suspense, useState } from 'react'
import { lazyComponent } from '../../lib/lazy-component.ts'
import { useLinkActions } from './actions.ts'
import type { Link } from './queries.ts'

const MoveDialog = lazyComponent(() => import('../groups/folder-dialogs.tsx'), 'MoveDialog')
const TagDialog = lazyComponent(() => import('./tag-link.tsx'), 'TagDialog')

/** Moves or tags a link, in a dialog. */
export interface Filing {
  move: (link: Link) => void
  tag: (link: Link) => void
  dialogs: ReactNode
}

export function useFiling(): Filing {
  const actions = useLinkActions()
  const [moving, move] = useState<Link | null>(null)
  const [tagging, tag] = useState<Link | null>(null)
  const dialogs = (
    <Suspense>
      {moving ? (
        <MoveDialog
          value={moving.folder_id}
          onClose={() => move(null)}
          onChoose={(folder) => {
            move(null)
            void actions.move(moving, folder)
          }}
        />
      ) : null}
      {tagging ? <TagDialog link={tagging} onClose={() => tag(null)} /> : null}
    </Suspense>
  )
  return { move, tag, dialogs }
}
