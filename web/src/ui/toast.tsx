import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useI18n } from '../i18n/index.tsx'
import { errorText } from './errors.ts'
import { onDemand, onLoadFailure } from './on-demand.tsx'
import type { ToastOptions } from './toast-parts.tsx'

const parts = onDemand(() => import('./toast-parts.tsx'))
/** Toasts are loaded after the first interaction, so that the page comes first. */
const INTERACTIONS = ['pointerdown', 'keydown'] as const
/** Renders the toasts; set by their component. */
let mount = () => {}

/** Shows a message at the bottom of the page. Returns a function that closes it. */
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

/** Shows an error. */
export function useShowError(): (error: unknown) => void {
  const i18n = useI18n()
  return (error) => showToast({ title: errorText(error, i18n), bad: true })
}

/** A mutation whose failure is shown as a toast. */
export function useAction<Result, Input = void>(
  mutationFn: (input: Input) => Promise<Result>,
  onSuccess: (result: Result, input: Input) => unknown = () => {},
) {
  return useMutation({ mutationFn, onSuccess, onError: useShowError() })
}

/** The container of toasts, once around the app. Screen readers need it before the first toast. */
export function Toasts() {
  const [isLoaded, setLoaded] = useState(parts.isLoaded)
  const showError = useShowError()
  useEffect(() => onLoadFailure(showError))
  useEffect(() => {
    mount = () =>
      void parts.load().then(
        () => setLoaded(true),
        () => {},
      )
    const begin = () => mount()
    for (const deed of INTERACTIONS) addEventListener(deed, begin, { once: true })
    return () => {
      for (const deed of INTERACTIONS) removeEventListener(deed, begin)
    }
  }, [])
  if (!isLoaded) return null
  const { ToastView } = parts.get()
  return <ToastView />
}
