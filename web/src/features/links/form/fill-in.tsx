import { WandSparkles } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useI18n } from '../../../i18n/index.tsx'
import { Button, IconButton } from '../../../ui/button.tsx'
import { showToast, useAction } from '../../../ui/toast.tsx'
import { readPageDetails } from '../queries.ts'
import { withScheme } from './input-values.ts'

type Details = Awaited<ReturnType<typeof readPageDetails>>

/** Takes over what the destination says about itself, on request only: the server is seen there. */
export function FillIn({
  destination,
  parts,
  small = false,
  onFound,
}: {
  destination: string
  /** What is taken over; if the page has none of it, a message says so. */
  parts: readonly (keyof Details)[]
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
  const { mutate, isPending } = useAction(readPageDetails)
  if (!/^https?:/i.test(url)) return null
  const ask = () =>
    mutate(url, {
      onSuccess: (found) => {
        if (now.current.url !== url) return
        now.current.onFound(found)
        if (parts.every((part) => found[part] === null)) {
          showToast({ title: t('links.fillIn.nothing') })
        }
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
