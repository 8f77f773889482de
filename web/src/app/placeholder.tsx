import { Page } from '../ui/page.tsx'
import { Skeleton } from '../ui/skeleton.tsx'

/** Stands where a page is still to come. */
export function Placeholder() {
  return (
    <Page title="…">
      <Skeleton className="h-40 w-full" />
    </Page>
  )
}
