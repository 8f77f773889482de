let held = false
const hold = (now: boolean) => () => {
  held = now
}
document.addEventListener('pointerdown', hold(true), true)
document.addEventListener('pointerup', hold(false), true)
document.addEventListener('pointercancel', hold(false), true)

/**
 * Does something, but not while a button of the pointer is held: what moves from under it gets no
 * click. For what appears when a field loses the focus to a press elsewhere.
 */
export function afterPress(does: () => void): void {
  // The click itself comes after the button is up.
  if (held) document.addEventListener('pointerup', () => setTimeout(does), { once: true })
  else does()
}
