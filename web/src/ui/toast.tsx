import { useEffect, useState } from 'react'
import { useI18n } from '../i18n/index.tsx'
import { errorText } from './errors.ts'
import { onDemand } from './on-demand.tsx'

const parts = onDemand(() => import('./toast-parts.tsx'))
/** No toast comes before the person has done something: until then the page comes first. */
const DEEDS = ['pointerdown', 'keydown'] as const
/** Puts what shows them on the page; set by it. */
let mount = () => {}

export interface ToastOptions {
  /** What happened. */
  title: string
  description?: string
  /** What can be done about it, such as undoing it. */
  action?: { label: string; onClick: () => void }
  /** Something failed: it stays longer, and is said at once. */
  bad?: boolean
  /** Default 6 s, and 10 s where there is something to undo. 0: until it is closed. */
  timeoutMs?: number
}

/** Tells what happened, at the foot of the page. Returns what closes it. */
export function showToast(options: ToastOptions): () => void {
  mount()
  const added = parts.load().then(({ addToast }) => addToast(options))
  added.catch(() => {})
  return () =>
    void added.then(
      (close) => close(),
      () => {},
    )
}

/** Tells that something failed, and why. */
export function useShowError(): (error: unknown) => void {
  const i18n = useI18n()
  return (error) => showToast({ title: errorText(error, i18n), bad: true })
}

/** Where the toasts are shown; once, around the app. It is there before the first, which screen readers need. */
export function Toasts() {
  const [isLoaded, setLoaded] = useState(parts.isLoaded)
  useEffect(() => {
    mount = () =>
      void parts.load().then(
        () => setLoaded(true),
        () => {},
      )
    const begin = () => mount()
    for (const deed of DEEDS) addEventListener(deed, begin, { once: true })
    return () => {
      for (const deed of DEEDS) removeEventListener(deed, begin)
    }
  }, [])
  if (!isLoaded) return null
  const { ToastView } = parts.get()
  return <ToastView />
}
