// Run in the page: where the focus is, and whether it is seen.

// The element that has the focus, for people.
// biome-ignore lint/correctness/noUnusedVariables: keyboard.ts calls it
function told() {
  const at = document.activeElement
  return `${at?.tagName.toLowerCase()} ${at?.getAttribute('aria-label') ?? at?.textContent?.trim().slice(0, 30)}`
}

// What is wrong with the focus as it is seen, or null.
// biome-ignore lint/correctness/noUnusedVariables: keyboard.ts calls it
function focusFault() {
  const at = document.activeElement
  if (at === null || at === document.body) return null
  const name = `<${at.tagName.toLowerCase()}> ${at.getAttribute('aria-label') ?? at.textContent?.trim().slice(0, 40)}`
  // What only guards the ends of a dialog passes the focus on at once.
  if (at.hasAttribute('data-base-ui-focus-guard')) return null
  // A field may be framed by its group.
  const framed = [at, at.parentElement, at.parentElement?.parentElement].some((one) => {
    if (!(one instanceof HTMLElement)) return false
    const { outlineStyle, outlineWidth } = getComputedStyle(one)
    return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1
  })
  const highlighted =
    at.hasAttribute('data-highlighted') &&
    getComputedStyle(at).backgroundColor !== 'rgba(0, 0, 0, 0)'
  if (!framed && !highlighted) return `the focus isn't seen: ${name}`
  const { left, right, top, bottom, width, height } = at.getBoundingClientRect()
  const inSight =
    width > 0 && height > 0 && right > 0 && bottom > 0 && left < innerWidth && top < innerHeight
  if (!inSight) return `out of sight: ${name}`
  return null
}

// The element outside of any dialog that has the focus, or null.
// biome-ignore lint/correctness/noUnusedVariables: keyboard.ts calls it
async function outsideOfDialog() {
  const frame = () => new Promise((drawn) => requestAnimationFrame(drawn))
  // What guards the ends of a dialog passes the focus on in the next frame.
  while (document.activeElement?.hasAttribute('data-base-ui-focus-guard')) await frame()
  const at = document.activeElement
  return at?.closest('[role=dialog], [role=alertdialog]') ? null : `${at?.outerHTML.slice(0, 300)}`
}
