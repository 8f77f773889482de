import { type ReactNode, Suspense, useState } from 'react'
import { lazyComponent } from '../../../lib/lazy-component.ts'
import type { Link } from '../calls.ts'
import { MoveLink } from '../move-link.tsx'

const TagDialog = lazyComponent(() => import('../tag-link.tsx'), 'TagDialog')

/** Moves or tags a link of a list, in a dialog. */
export function useFiling(): {
  move: (link: Link) => void
  tag: (link: Link) => void
  dialogs: ReactNode
} {
  const [moving, move] = useState<Link | null>(null)
  const [tagging, tag] = useState<Link | null>(null)
  const dialogs = (
    <>
      <MoveLink link={moving} onClose={() => move(null)} />
      <Suspense>{tagging ? <TagDialog link={tagging} onClose={() => tag(null)} /> : null}</Suspense>
    </>
  )
  return { move, tag, dialogs }
}
