import './gallery.css'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { Direction } from '../src/app/direction.tsx'
import { draw } from '../src/app/draw.tsx'
import { enterLanguage, firstLocale, LanguageProvider } from '../src/app/language.tsx'
import { Toasts } from '../src/ui/toast.tsx'
import { Tooltips } from '../src/ui/tooltip.tsx'
import { DISPLAY } from './display.tsx'
import { FORMS } from './forms.tsx'
import { OVERLAYS } from './overlays.tsx'
import type { Sample } from './sample.ts'

function Gallery() {
  return (
    <main className="mx-auto flex max-w-3xl flex-col gap-10 p-6">
      <h1 className="font-semibold text-xl">Controls</h1>
      {[...FORMS, ...OVERLAYS, ...DISPLAY].map((sample) => (
        <Shown key={sample.name} {...sample} />
      ))}
    </main>
  )
}

/** The states of a control, one below the other, as one section with its name. */
function Shown({ name, states }: Sample) {
  return (
    <section aria-labelledby={`of-${name}`} data-control={name} className="flex flex-col gap-4">
      <h2 id={`of-${name}`} className="border-line border-b pb-1 font-medium">
        {name}
      </h2>
      {Object.entries(states).map(([state, State]) => (
        <div key={state} data-state={state} className="flex flex-col items-start gap-1.5">
          <h3 className="text-faint text-xs">{state}</h3>
          <div className="w-full">
            <State />
          </div>
        </div>
      ))}
    </section>
  )
}

draw(
  <QueryClientProvider client={new QueryClient()}>
    <LanguageProvider first={await enterLanguage(firstLocale())}>
      <Direction>
        <Gallery />
        <Toasts />
        <Tooltips />
      </Direction>
    </LanguageProvider>
  </QueryClientProvider>,
)
