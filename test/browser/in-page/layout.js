// Runs in the page: finds what is wrong with how it is laid out at its present width.
// biome-ignore lint/correctness/noUnusedVariables: layout.ts calls it
function layoutFaults() {
  const faults = []
  const root = document.documentElement
  root.style.fontFamily = getComputedStyle(root).fontFamily.replace(/"?Inter"?,/, '')
  const told = (element) => {
    const text = (element.textContent ?? '').trim().slice(0, 40)
    return `<${element.tagName.toLowerCase()}> “${element.getAttribute('aria-label') ?? text}”`
  }
  const visible = (element) =>
    element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
    element.getBoundingClientRect().width > 1 &&
    element.closest('.sr-only, [inert]') === null

  if (root.scrollWidth > root.clientWidth) {
    const widest = [...document.body.querySelectorAll('*')].filter((element) => {
      const { left, right } = element.getBoundingClientRect()
      return visible(element) && (right > root.clientWidth + 0.5 || left < -0.5)
    })
    const names = widest.slice(-3).map(told)
    faults.push(`scrolls sideways by ${root.scrollWidth - root.clientWidth}: ${names.join(', ')}`)
  }

  // What opens over the page can be reached as a whole, also in a low window.
  const opened = '[role=dialog], [role=alertdialog], [role=menu], [role=listbox]'
  for (const element of document.querySelectorAll(opened)) {
    const { top, bottom } = element.getBoundingClientRect()
    if (visible(element) && (top < -1 || bottom > root.clientHeight + 1)) {
      faults.push(
        `reaches beyond the window, ${Math.round(top)} to ${Math.round(bottom)}: ${told(element)}`,
      )
    }
  }

  // They scroll down, never sideways.
  for (const element of document.querySelectorAll('.overflow-y-auto:not(.overflow-x-auto)')) {
    if (visible(element) && element.scrollWidth > element.clientWidth + 1) {
      const wider = element.scrollWidth - element.clientWidth
      faults.push(`scrolls sideways by ${wider}: ${told(element)}`)
    }
  }

  // Words of ours must be readable as a whole; what people wrote may be shortened, with a title.
  const words =
    'button, th, label, legend, summary, h1, h2, h3, dt, nav a, [role=tab], [role=menuitem]'
  for (const element of document.querySelectorAll(words)) {
    // What is chosen can be read in the list that it is chosen from.
    if (!visible(element) || element.closest('[data-row], [title], [role=combobox]') !== null)
      continue
    for (const part of [element, ...element.querySelectorAll('*')]) {
      if (part.closest('svg, .sr-only') !== null || getComputedStyle(part).display === 'inline')
        continue
      // What only screen readers have is one pixel wide.
      if (part.clientWidth > 1 && part.scrollWidth > part.clientWidth + 1) {
        faults.push(`clipped by ${part.scrollWidth - part.clientWidth}: ${told(element)}`)
        break
      }
    }
  }

  // Nor do words of a button with a fixed height leave it.
  for (const element of document.querySelectorAll('button[aria-pressed], [role=tab]')) {
    const higher = element.scrollHeight - element.clientHeight
    if (visible(element) && higher > 4) faults.push(`leaves its box by ${higher}: ${told(element)}`)
  }

  // Lines end between our words, never within one; what people wrote may be broken anywhere.
  const labels = 'th, dt, label, legend, summary, h2, h3, button, p, [role=tab], [role=menuitem]'
  const alphabetic = /[\p{sc=Latn}\p{sc=Cyrl}\p{sc=Arab}\p{sc=Deva}\p{M}]{3,}/gu
  for (const element of document.querySelectorAll(labels)) {
    if (!visible(element)) continue
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      if (text.parentElement.closest('bdi, code, pre, strong, [dir]:not(html), .sr-only')) continue
      for (const { 0: word, index } of text.data.matchAll(alphabetic)) {
        const range = document.createRange()
        range.setStart(text, index)
        range.setEnd(text, index + word.length)
        const tops = [...range.getClientRects()].map(({ top }) => Math.round(top / 8))
        if (new Set(tops).size > 1) faults.push(`breaks “${word}”: ${told(element)}`)
      }
    }
  }

  // Of what is cut off the beginning is read, also where its script runs the other way.
  for (const element of document.querySelectorAll('[class*=truncate]')) {
    if (!visible(element) || element.scrollWidth <= element.clientWidth) continue
    const first = document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode()
    const range = document.createRange()
    range.setStart(first, 0)
    range.setEnd(first, 1)
    const [letter, box] = [range.getBoundingClientRect(), element.getBoundingClientRect()]
    if (letter.left < box.left - 1 || letter.right > box.right + 1) {
      faults.push(`cut off at its beginning: ${told(element)}`)
    }
  }

  // Names and addresses in another script stand where the lines around them begin.
  for (const element of document.querySelectorAll('bdi, :is(span, del, ins)[dir=auto]')) {
    const around = getComputedStyle(element.parentElement)
    if (!visible(element) || around.textAlign !== 'start') continue
    if (getComputedStyle(element).display === 'inline') continue
    const range = document.createRange()
    range.selectNodeContents(element)
    const [text, box] = [range.getBoundingClientRect(), element.getBoundingClientRect()]
    const gap = around.direction === 'rtl' ? box.right - text.right : text.left - box.left
    if (gap > 12) faults.push(`stands at the other side: ${told(element)}`)
  }

  // What can be pressed doesn't lie over something else that can be.
  const targets = [
    ...document.querySelectorAll('a[href], button, input, select, textarea, summary'),
  ].filter((element) => visible(element) && !isAbove(element))
  const boxes = targets.map((element) => element.getBoundingClientRect())
  targets.forEach((one, i) => {
    const a = boxes[i]
    targets.slice(i + 1).forEach((other, j) => {
      const b = boxes[i + 1 + j]
      const width = Math.min(a.right, b.right) - Math.max(a.left, b.left)
      const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)
      if (width > 1 && height > 1 && !one.contains(other) && !other.contains(one)) {
        faults.push(`${told(one)} lies over ${told(other)}`)
      }
    })
  })
  root.style.removeProperty('font-family')
  return faults

  /** In something that is meant to lie above the page: a dialog, the bar at the foot, a toast. */
  function isAbove(element) {
    for (let at = element; at !== null; at = at.parentElement) {
      if (/^(?:fixed|sticky)$/.test(getComputedStyle(at).position)) return true
      // A popover or menu, beside its button.
      if (at.hasAttribute('data-side')) return true
    }
    return false
  }
}
