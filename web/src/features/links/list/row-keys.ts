import { useShortcuts } from '../../../app/shortcuts.ts'
import type { Link } from '../queries.ts'

/** The link in a row, which has the focus while its row is the current one. */
export function rowLink(id: string): HTMLElement | null {
  return document.querySelector(`[data-row="${CSS.escape(id)}"] [data-row-link]`)
}

/** The link in the first row; null: the list is empty. */
export function firstRowLink(): HTMLElement | null {
  return document.querySelector('[data-row-link]')
}

export function focusRow(id: string): void {
  // After the pending rendering.
  requestAnimationFrame(() => rowLink(id)?.focus())
}

/** The link of the row with the focus, else of that under the pointer. */
export function currentId(): string | undefined {
  const row =
    document.activeElement?.closest<HTMLElement>('[data-row]') ??
    document.querySelector<HTMLElement>('[data-row]:hover')
  return row?.dataset.row
}

/** Keyboard navigation through the rows, and actions on the current one. */
export function useRowKeys(
  links: readonly Link[],
  actions: {
    select?: (link: Link) => void
    copy: (link: Link) => void
    showStatistics: (link: Link) => void
    edit?: (link: Link) => void
    tag?: (link: Link) => void
    move?: (link: Link) => void
    remove?: (link: Link) => void
  },
): void {
  const step = (by: 1 | -1) => {
    const at = links.findIndex(({ id }) => id === currentId())
    const next = links[at === -1 ? (by === 1 ? 0 : links.length - 1) : at + by]
    if (next) rowLink(next.id)?.focus()
  }
  const onCurrent = (action: (link: Link) => void) => () => {
    const link = links.find(({ id }) => id === currentId())
    if (link) action(link)
  }
  /** Keys without an action are left to others. */
  const keys = (names: readonly string[], action: ((link: Link) => void) | undefined) =>
    action && Object.fromEntries(names.map((name) => [name, onCurrent(action)]))
  useShortcuts({
    j: () => step(1),
    ArrowDown: () => step(1),
    k: () => step(-1),
    ArrowUp: () => step(-1),
    ...keys(['x'], actions.select),
    y: onCurrent(actions.copy),
    s: onCurrent(actions.showStatistics),
    ...keys(['e'], actions.edit),
    ...keys(['t'], actions.tag),
    ...keys(['m'], actions.move),
    ...keys(['#', 'Delete'], actions.remove),
    Enter: () => {
      const id = currentId()
      if (id) rowLink(id)?.click()
    },
  })
}
