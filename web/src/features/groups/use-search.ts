import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useLeadingDebounce } from '../../lib/use-debounced.ts'

const route = getRouteApi('/shell/tags')

/** Requests wait for this pause in typing. */
const PAUSE_MS = 150

/** The search of a list of tags or folders, kept in the URL: Back leads to what was found. */
export function useGroupSearch() {
  const { search = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const [text, setText] = useState(search)
  const sent = useRef(search)
  // The URL may change by itself: a press on the page in the sidebar clears it.
  useEffect(() => {
    if (search === sent.current) return
    sent.current = search
    setText(search)
  }, [search])
  const onText = (next: string) => {
    setText(next)
    sent.current = next
    void navigate({
      search: ({ tab }) => ({ ...(tab && { tab }), ...(next !== '' && { search: next }) }),
      replace: true,
    })
  }
  return { text, onText, asked: useLeadingDebounce(text, PAUSE_MS) }
}
