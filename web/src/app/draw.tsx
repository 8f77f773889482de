import { LucideProvider } from 'lucide-react'
import { options } from 'preact'
import type { ReactNode } from 'react'
import { createRoot } from 'react-dom/client'

/** Renders the program of an HTML page. */
export function draw(program: ReactNode): void {
  // Like React after keys and clicks: Enter right after the last letter sends that letter, too.
  options.requestAnimationFrame = queueMicrotask
  const root = createRoot(document.getElementById('root') as HTMLElement)
  // Icons are 14 px large unless they name a size, and hidden from screen readers.
  root.render(<LucideProvider size={14}>{program}</LucideProvider>)
}
