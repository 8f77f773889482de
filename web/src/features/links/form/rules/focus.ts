/** Focuses an element after the next rendering. */
export function focusSoon(find: () => HTMLElement | null | undefined): void {
  requestAnimationFrame(() => find()?.focus())
}
