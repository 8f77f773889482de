import { Toast as Base } from '@base-ui/react/toast'
import { CircleAlert, X } from 'lucide-react'
import { useEffect } from 'react'
import { useI18n } from '../i18n/index.tsx'
import type { ToastOptions } from './toast.tsx'

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
      className="rounded-md bg-fg text-canvas shadow-float transition-[opacity,translate] duration-150 data-ending-style:opacity-0 data-limited:hidden data-starting-style:translate-y-2 data-starting-style:opacity-0"
    >
      <Base.Content className="flex items-center gap-3 py-2.5 ps-4 pe-2">
        {toast.data?.bad ? <CircleAlert size={16} className="shrink-0" /> : null}
        <div className="flex min-w-0 flex-1 flex-col [overflow-wrap:anywhere]">
          <Base.Title className="font-medium" />
          <Base.Description className="text-sm opacity-80" />
        </div>
        {toast.actionProps ? (
          <Base.Action className="h-8 shrink-0 rounded-sm px-2.5 pointer-coarse:h-10 font-semibold underline-offset-2 outline-current hover:underline" />
        ) : null}
        <Base.Close
          aria-label={t('common.close')}
          className="flex size-8 shrink-0 pointer-coarse:size-10 items-center justify-center rounded-sm opacity-70 outline-current hover:opacity-100"
        >
          <X />
        </Base.Close>
      </Base.Content>
    </Base.Root>
  ))
}
