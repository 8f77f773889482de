// Runs in the page while it is shown as on paper: finds what is wrong with that.
// biome-ignore lint/correctness/noUnusedVariables: layout.ts calls it
function paperFaults() {
  const faults = []
  const told = (element) =>
    `<${element.tagName.toLowerCase()}> “${(element.textContent ?? '').trim().slice(0, 40)}”`
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true })

  // Navigation, messages, and what can only be pressed.
  const PRESSED =
    'nav, aside, [data-toast], a:has(> .lucide-arrow-left), .inline-flex > [aria-pressed=false],' +
    '[role=tab][aria-selected=false], [role=combobox] svg, button:has(> .lucide-x),' +
    '[role=searchbox]:placeholder-shown'
  for (const element of document.querySelectorAll(PRESSED)) {
    if (isShown(element)) faults.push(`isn't for paper: ${told(element)}`)
  }

  // A dialog over the page is printed instead of it.
  const isCovered = document.querySelector('[data-veil]') !== null
  const page = document.querySelector('#root')
  const content = isCovered ? document.querySelector('[role=dialog], [role=alertdialog]') : page
  if (!isShown(content) || content.innerText.trim() === '') faults.push('is empty')
  if (isCovered && isShown(page)) faults.push('has the page besides the dialog')

  // Nothing else takes room beside it.
  for (const element of document.querySelectorAll('#content ~ *')) {
    const { width, height } = element.getBoundingClientRect()
    if (isShown(element) && getComputedStyle(element).position === 'static' && width > 1) {
      faults.push(`has ${width} × ${height} px beside the page: ${told(element)}`)
    }
  }

  // Room at the end, for the bar of phones, would be an empty page.
  const main = document.querySelector('main#content')
  const room = main === null ? 0 : Number.parseFloat(getComputedStyle(main).paddingBottom)
  if (room > 0) faults.push(`ends with ${room} px of nothing`)

  // Nobody knows how long ago something was when they read it.
  for (const time of document.querySelectorAll('time[data-tip=""] > *')) {
    if (isShown(time)) faults.push(`is true only today: ${told(time)}`)
  }

  // Nothing scrolls on paper, and nothing is wider.
  const { clientWidth, scrollWidth } = document.documentElement
  if (scrollWidth > clientWidth) faults.push(`is wider by ${scrollWidth - clientWidth}`)
  for (const element of content.querySelectorAll('*')) {
    const { overflowX, overflowY } = getComputedStyle(element)
    const scrolls = (way) => way === 'auto' || way === 'scroll'
    const isCut =
      (scrolls(overflowX) && element.scrollWidth > element.clientWidth + 1) ||
      (scrolls(overflowY) && element.scrollHeight > element.clientHeight + 1)
    if (isCut && isShown(element)) faults.push(`is cut: ${told(element)}`)
  }
  return faults
}
