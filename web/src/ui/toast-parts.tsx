import { Toast as Base } from '@base-ui/react/toast'
import { CircleAlert, X } from 'lucide-react'
import { useEffect } from 'react'
import { useI18n } from '../i18n/index.tsx'
import { buttonClass } from './button.tsx'
import { cx } from './cx.ts'
import { NOTICE } from './popup.ts'

export interface ToastOptions {
  /** What happened. */
  title: string
  description?: string
  /** What can be done about it, such as undoing it. */
  action?: { label: string; onClick: () => void }
  /** A failure: shown longer, and announced immediately. */
  bad?: boolean
  /** Default 6 s, or 10 s with an undo. 0: until it is closed. */
  timeoutMs?: number
}

const shown = Promise.withResolvers<void>()
const manager = Base.createToastManager<{ bad?: boolean }>()

/** Adds a toast once they are rendered. Returns a function that closes it. */
export async function addToast({ title, description, action, bad, timeoutMs }: ToastOptions) {
  await shown.promise
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

/** Where the toasts are shown. */
export function ToastView() {
  // After the effects of its children: by then it listens.
  useEffect(() => shown.resolve(), [])
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
      data-toast=""
      // Base UI hides both from screen readers until they are focused, though they can be.
      aria-hidden={false}
      className={cx(
        NOTICE,
        'py-2.5 transition-[opacity,translate] duration-150 data-ending-style:opacity-0 data-limited:hidden data-starting-style:translate-y-2 data-starting-style:opacity-0',
      )}
    >
      <Base.Content className="flex items-center gap-2">
        {toast.data?.bad ? <CircleAlert size={16} className="shrink-0 text-bad" /> : null}
        <div className="flex min-w-0 flex-1 flex-col [overflow-wrap:anywhere]">
          <Base.Title className="font-medium" />
          <Base.Description className="text-muted text-sm" />
        </div>
        {toast.actionProps ? <Base.Action className={buttonClass('secondary', 'sm')} /> : null}
        <Base.Close
          aria-hidden={false}
          aria-label={t('common.close')}
          className={buttonClass('ghost', 'sm', 'w-7 pointer-coarse:w-10 px-0!')}
        >
          <X />
        </Base.Close>
      </Base.Content>
    </Base.Root>
  ))
}
