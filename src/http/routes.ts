import type { AnyEndpoint } from './endpoint.ts'

/** Which methods each path has. Asked only where no endpoint fits, so a list is enough. */
export interface RouteTable {
  add(endpoint: Pick<AnyEndpoint, 'method' | 'path'>): void
  /** The methods of a path, `HEAD` and `OPTIONS` among them; undefined: there is no such path. */
  methodsOf(path: string): readonly string[] | undefined
}

/** An empty table. */
export function createRouteTable(): RouteTable {
  const routes = new Map<string, { pattern: RegExp; methods: string[] }>()
  return {
    add({ method, path }) {
      let route = routes.get(path)
      if (route === undefined) {
        route = { pattern: patternOf(path), methods: ['OPTIONS'] }
        routes.set(path, route)
      }
      const added = method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]
      route.methods.splice(-1, 0, ...added)
    },
    methodsOf(path) {
      for (const { pattern, methods } of routes.values()) if (pattern.test(path)) return methods
      return undefined
    },
  }
}

function patternOf(path: string): RegExp {
  const segments = path.split('/').map((segment) => {
    if (segment.startsWith('{')) return '[^/]+'
    return segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  })
  return new RegExp(`^${segments.join('/')}$`)
}
