import { useMutation } from '@tanstack/react-query'
import { WandSparkles } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useI18n } from '../../../i18n/index.tsx'
import { Button, IconButton } from '../../../ui/button.tsx'
import { readPageDetails } from '../calls.ts'
import { withScheme } from './typed.ts'

type Details = Awaited<ReturnType<typeof readPageDetails>>

/** Takes over what the destination says about itself, on request only: the server is seen there. */
export function FillIn({
  destination,
  small = false,
  onFound,
}: {
  destination: string
  /** Only an icon, in a field. */
  small?: boolean
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
  if (small) {
    return (
      <IconButton
        size="sm"
        label={t('links.fillIn')}
        icon={<WandSparkles />}
        aria-busy={isPending}
        onClick={() => isPending || ask()}
      />
    )
  }
  return (
    <Button size="sm" className="self-start" loading={isPending} onClick={ask}>
      {t('links.fillIn')}
    </Button>
  )
}
