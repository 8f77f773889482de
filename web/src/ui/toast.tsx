import { Toast as Base } from '@base-ui/react/toast'
import { CircleAlert, X } from 'lucide-react'
import { useI18n } from '../i18n/index.tsx'
import { cx } from './cx.ts'
import { errorText } from './errors.ts'

const manager = Base.createToastManager<{ bad?: boolean }>()

interface ToastOptions {
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
export function showToast({ title, description, action, bad, timeoutMs }: ToastOptions) {
  const id: string = manager.add({
    title,
    ...(description ? { description } : {}),
    data: bad ? { bad } : {},
    priority: bad ? 'high' : 'low',
    timeout: timeoutMs ?? (action || bad ? 10_000 : 6_000),
    ...(action
      ? {
          actionProps: {
            children: action.label,
            onClick: () => {
              manager.close(id)
              action.onClick()
            },
          },
        }
      : {}),
  })
  return () => manager.close(id)
}

/** Tells that something failed, and why. */
export function useShowError(): (error: unknown) => void {
  const i18n = useI18n()
  return (error) => showToast({ title: errorText(error, i18n), bad: true })
}

/** Where the toasts are shown; once, around the app. */
export function Toasts() {
  return (
    <Base.Provider toastManager={manager} limit={4}>
      <Base.Portal>
        <Base.Viewport className="fixed start-4 end-4 bottom-[calc(4.5rem+env(safe-area-inset-bottom))] z-60 flex flex-col-reverse gap-2 outline-none sm:end-auto sm:start-6 sm:w-90 md:start-62 md:bottom-6">
          <List />
        </Base.Viewport>
      </Base.Portal>
    </Base.Provider>
  )
}

function List() {
  const { t } = useI18n()
  const { toasts } = Base.useToastManager<{ bad?: boolean }>()
  return toasts.map((toast) => (
    <Base.Root
      key={toast.id}
      toast={toast}
      className="rounded-md bg-fg text-canvas shadow-float transition-[opacity,translate] duration-150 data-ending-style:opacity-0 data-limited:hidden data-starting-style:translate-y-2 data-starting-style:opacity-0"
    >
      <Base.Content className="flex items-center gap-3 py-2.5 ps-4 pe-2">
        {toast.data?.bad ? <CircleAlert size={16} aria-hidden="true" className="shrink-0" /> : null}
        <div className="flex min-w-0 flex-1 flex-col [overflow-wrap:anywhere]">
          <Base.Title className="font-medium" />
          <Base.Description className="text-sm opacity-80" />
        </div>
        {toast.actionProps ? (
          <Base.Action className="h-8 shrink-0 rounded-sm px-2.5 pointer-coarse:h-10 font-semibold underline-offset-2 outline-current hover:underline" />
        ) : null}
        <Base.Close
          aria-label={t('common.close')}
          className={cx(
            'flex size-8 shrink-0 pointer-coarse:size-10 items-center justify-center rounded-sm opacity-70 outline-current hover:opacity-100',
          )}
        >
          <X size={14} aria-hidden="true" />
        </Base.Close>
      </Base.Content>
    </Base.Root>
  ))
}
