import { AlertDialog } from '@base-ui/react/alert-dialog'
import { Dialog as Base } from '@base-ui/react/dialog'
import { useMutation } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { type ReactNode, type RefObject, useId, useRef } from 'react'
import { useI18n } from '../i18n/index.tsx'
import { Button } from './button.tsx'
import { cx } from './cx.ts'
import { FormError } from './field.tsx'
import { Form, type Task } from './form.tsx'

const BACKDROP =
  'fixed inset-0 z-40 bg-veil transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0'

/** Text fields. */
const FIELD = 'input:not([type=checkbox], [type=radio], [type=hidden], [readonly]), textarea'

/** At the inline end; on a phone from below. */
const PANEL = cx(
  'inset-x-0 bottom-0 max-h-[94dvh] rounded-t-md transition-[translate,opacity] data-ending-style:translate-y-6 data-starting-style:translate-y-6 data-ending-style:opacity-0 data-starting-style:opacity-0',
  'sm:inset-y-0 sm:start-auto sm:end-0 sm:max-h-none sm:w-[30rem] sm:rounded-none sm:data-ending-style:translate-y-0 sm:data-starting-style:translate-y-0 ltr:sm:data-ending-style:translate-x-6 ltr:sm:data-starting-style:translate-x-6 rtl:sm:data-ending-style:-translate-x-6 rtl:sm:data-starting-style:-translate-x-6',
)

const SHAPES = {
  /** Centred. */
  center:
    'top-[max(1rem,12dvh)] inset-x-4 mx-auto max-h-[calc(100dvh-max(2rem,14dvh))] max-w-lg rounded-md data-ending-style:opacity-0 data-starting-style:opacity-0',
  /** Centred, for large content. */
  wide: 'top-[max(1rem,6dvh)] inset-x-4 mx-auto max-h-[calc(100dvh-max(2rem,8dvh))] max-w-3xl rounded-md data-ending-style:opacity-0 data-starting-style:opacity-0',
  panel: PANEL,
  /** A panel with room beside its form on wide screens. */
  broad: cx(PANEL, 'xl:w-[52rem]'),
} as const

interface DialogProps {
  /** Absent: only its own buttons close it, for content that can't be shown again. */
  onClose?: (() => void) | undefined
  title: ReactNode
  description?: ReactNode
  shape?: keyof typeof SHAPES
  /** Sticky at the bottom. */
  footer?: ReactNode
  /** The element to focus; default: the first field, or else the first control of the content. */
  initialFocus?: RefObject<HTMLElement | null>
  children?: ReactNode
}

/** A dialog: it traps the focus, closes on Escape, and restores the focus. */
export function Dialog({
  onClose,
  title,
  description,
  shape = 'center',
  footer,
  initialFocus,
  children,
}: DialogProps) {
  const { t } = useI18n()
  const body = useRef<HTMLDivElement>(null)
  const first = () => {
    const within = (selector: string) => body.current?.querySelector<HTMLElement>(selector)
    return within(FIELD) ?? within('button:enabled, a[href]') ?? true
  }
  return (
    <Base.Root open onOpenChange={(open) => open || onClose?.()}>
      <Base.Portal>
        <Base.Backdrop data-veil className={BACKDROP} />
        <Base.Popup
          initialFocus={initialFocus ?? first}
          className={cx(
            'fixed z-40 flex flex-col bg-raised shadow-float outline-none transition-opacity duration-150 ease-out',
            SHAPES[shape],
          )}
        >
          <header className="flex items-start gap-3 px-5 pt-4 pb-1">
            <div className="flex min-w-0 flex-1 flex-col gap-1">
              <Base.Title className="font-semibold text-lg [overflow-wrap:anywhere]">
                {title}
              </Base.Title>
              {description ? (
                <Base.Description className="text-muted">{description}</Base.Description>
              ) : null}
            </div>
            {onClose === undefined ? null : (
              <Base.Close
                aria-label={t('common.close')}
                className="-me-1.5 flex size-8 print:hidden shrink-0 items-center justify-center rounded-sm text-muted hover:bg-hover hover:text-fg"
              >
                <X size={16} />
              </Base.Close>
            )}
          </header>
          <div
            ref={body}
            className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto overscroll-contain px-5 pt-2 pb-5"
          >
            {children}
          </div>
          {footer ? (
            <footer className="flex flex-wrap items-center justify-end print:hidden gap-2 border-line border-t px-5 py-3 pb-[max(0.75rem,env(safe-area-inset-bottom))]">
              {footer}
            </footer>
          ) : null}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

/** A dialog with a form and its submit button. */
export function FormDialog({
  task,
  fields,
  onSubmit,
  action,
  danger = false,
  disabled = false,
  onClose,
  children,
  ...about
}: {
  /** The action of the button. */
  task: Task
  fields?: readonly string[]
  onSubmit?: () => void
  /** The label of the button. */
  action: string
  danger?: boolean
  disabled?: boolean
  onClose: () => void
  children: ReactNode
} & Pick<DialogProps, 'title' | 'description'>) {
  const { t } = useI18n()
  const id = useId()
  return (
    <Dialog
      {...about}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button
            variant={danger ? 'danger' : 'primary'}
            type="submit"
            form={id}
            disabled={disabled}
            loading={task.isPending}
          >
            {action}
          </Button>
        </>
      }
    >
      <Form id={id} task={task} fields={fields} onSubmit={onSubmit}>
        {children}
      </Form>
    </Dialog>
  )
}

/** A confirmation before what can't be undone. It names the object, and the consequences. */
export function ConfirmDialog({
  title,
  description,
  action,
  danger = true,
  onConfirm,
  onClose,
  fields,
  children,
}: {
  title: ReactNode
  description?: ReactNode
  /** The label of the confirming button. */
  action: string
  danger?: boolean
  /** Fields that show their own errors. */
  fields?: readonly string[]
  /** The dialog closes when it succeeds; on failure it stays and shows the error. */
  onConfirm: () => Promise<unknown> | unknown
  onClose: () => void
  children?: ReactNode | ((error: unknown) => ReactNode)
}) {
  const { t } = useI18n()
  const confirm = useMutation({ mutationFn: async () => onConfirm(), onSuccess: onClose })
  return (
    <AlertDialog.Root open onOpenChange={(open) => open || onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop data-veil className={BACKDROP} />
        <AlertDialog.Popup
          className={cx(
            'fixed z-40 flex flex-col gap-3 overflow-y-auto bg-raised p-5 shadow-float outline-none transition-opacity duration-150',
            SHAPES.center,
            'max-w-md!',
          )}
        >
          <AlertDialog.Title className="font-semibold text-lg [overflow-wrap:anywhere]">
            {title}
          </AlertDialog.Title>
          {description ? (
            <AlertDialog.Description className="text-muted">{description}</AlertDialog.Description>
          ) : null}
          <FormError error={confirm.error} fields={fields} />
          {typeof children === 'function' ? children(confirm.error) : children}
          <div className="mt-2 flex flex-wrap justify-end gap-2">
            <AlertDialog.Close render={<Button />}>{t('common.cancel')}</AlertDialog.Close>
            <Button
              variant={danger ? 'danger' : 'primary'}
              loading={confirm.isPending}
              onClick={() => confirm.mutate()}
            >
              {action}
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
