let held = false
const hold = (now: boolean) => () => {
  held = now
}
document.addEventListener('pointerdown', hold(true), true)
document.addEventListener('pointerup', hold(false), true)
document.addEventListener('pointercancel', hold(false), true)

/**
 * Runs a function, but not while a pointer button is held: an element that moves from under the
 * pointer gets no click. For content that appears when a field loses the focus to a press
 * elsewhere.
 */
export function afterPress(action: () => void): void {
  // The click event follows the release of the button.
  if (held) document.addEventListener('pointerup', () => setTimeout(action), { once: true })
  else action()
}
