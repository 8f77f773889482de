import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useI18n } from '../../../i18n/index.tsx'
import { Button } from '../../../ui/button.tsx'
import { readPageDetails } from '../calls.ts'
import { withScheme } from './typed.ts'

type Details = Awaited<ReturnType<typeof readPageDetails>>

/** Takes over what the destination says about itself, on request only: the server is seen there. */
export function FillIn({
  destination,
  onFound,
}: {
  destination: string
  /** Called with what was found, unless the destination has changed since. */
  onFound: (found: Details) => void
}) {
  const { t } = useI18n()
  const url = withScheme(destination.trim())
  // What was typed while the server was asking is in the newest props.
  const now = useRef({ url, onFound })
  useEffect(() => {
    now.current = { url, onFound }
  })
  // It is a suggestion: without one, nothing happens.
  const { mutate, isPending } = useMutation({ mutationFn: readPageDetails, retry: false })
  if (!/^https?:/i.test(url)) return null
  const ask = () =>
    mutate(url, {
      onSuccess: (found) => {
        if (now.current.url === url) now.current.onFound(found)
      },
    })
  return (
    <Button size="sm" className="self-start" loading={isPending} onClick={ask}>
      {t('links.fillIn')}
    </Button>
  )
}
