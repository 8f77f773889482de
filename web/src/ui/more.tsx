import { Button } from './button.tsx'

/** A paged list, as infinite queries return it. */
export interface Paged {
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage: () => Promise<unknown>
}

/** A button for the next page of a list; nothing on the last one. */
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
