type Verb<C> = (context: C, ...input: never[]) => unknown

/** The functions of a service without their first parameter, the context. */
type Verbs<V> = {
  [K in keyof V]: V[K] extends (context: never, ...input: infer I) => infer R
    ? (...input: I) => R
    : never
}

/** Binds functions to a context: the service's functions are called without it. */
export function withContext<C, V extends Record<string, Verb<C>>>(context: C, verbs: V): Verbs<V> {
  const bound = Object.entries(verbs).map(([name, verb]) => [name, verb.bind(null, context)])
  return Object.fromEntries(bound)
}
