import { useNavigate } from '@tanstack/react-router'
import { usePlace } from '../../app/workspace.tsx'
import { type Draft, emptyDraft } from './form/draft.ts'
import { keepDraft } from './form/kept-draft.ts'
import { lastSearch } from './list/last-search.ts'

/** Opens the form of a new link with some values. */
export function useNewLink(): (values: Partial<Draft>) => void {
  const navigate = useNavigate()
  const { workspace, instance } = usePlace()
  return (values) => {
    keepDraft(workspace.id, { ...emptyDraft(instance.default_domain), ...values })
    void navigate({ to: '/links', search: { ...lastSearch(), create: true } })
  }
}
