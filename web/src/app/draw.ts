import { options } from 'preact'
import type { ReactNode } from 'react'
import { createRoot } from 'react-dom/client'

/** Renders the program of an HTML page. */
export function draw(program: ReactNode): void {
  // Like React after keys and clicks: Enter right after the last letter sends that letter, too.
  options.requestAnimationFrame = queueMicrotask
  createRoot(document.getElementById('root') as HTMLElement).render(program)
}
