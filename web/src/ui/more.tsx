import { Button } from './button.tsx'

/** A list that comes page by page, as queries have it. */
export interface Paged {
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage: () => Promise<unknown>
}

/** Shows the next page of a list below those that are there; nothing where there is none. */
export function More({ list, label }: { list: Paged; label: string }) {
  if (!list.hasNextPage) return null
  return (
    <Button
      className="mt-4 self-start"
      loading={list.isFetchingNextPage}
      onClick={() => void list.fetchNextPage()}
    >
      {label}
    </Button>
  )
}
