/** The look of floating elements: menus, lists, popovers. */
export const POPUP =
  'rounded-md bg-raised p-1 shadow-float outline-none transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0'

/** The look of messages at the bottom of the page: toasts and running jobs. */
export const NOTICE = 'rounded-md bg-raised ps-4 pe-2 shadow-float'

/** The look of a line in a menu or list. */
export const ITEM =
  'relative flex min-h-8 cursor-default pointer-coarse:min-h-10 select-none items-center gap-2 rounded-sm px-2 py-1 text-base outline-none data-highlighted:bg-hover data-disabled:opacity-50'

/** As a `ref`: moves the focus to an element that appears, such as the button that takes a placeholder's place. */
export function takeFocus(element: HTMLElement | null): void {
  element?.focus({ preventScroll: true })
}
