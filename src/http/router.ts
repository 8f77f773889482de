import { tryDecodeURIComponent } from 'hono/utils/url'

/** A route with the names of its path's parameters. */
interface Target<R> {
  route: R
  names: readonly string[]
}

interface Node<R> {
  fixed: Map<string, Node<R>>
  parameter?: Node<R>
  /** By method. */
  targets: Map<string, Target<R>>
  /** The route of everything below, by any method. */
  below?: R
}

/** A found route with the values of its parameters, as they were sent. */
export interface Match<R> {
  route: R
  params: Record<string, string>
}

const createNode = <R>(): Node<R> => ({ fixed: new Map(), targets: new Map() })

/**
 * Finds routes by path and method. A fixed segment takes precedence over a parameter, with any
 * methods and in any percent-encoding, so that no fixed path is ever taken for an id.
 */
export function createRouter<R>() {
  const root = createNode<R>()

  /** The node of a path with parameters, added if needed, and their names. */
  function grow(path: string) {
    const names: string[] = []
    let node = root
    for (const segment of path.slice(1).split('/')) {
      const name = /^\{(.+)\}$/.exec(segment)?.[1]
      if (name !== undefined) names.push(name)
      const next =
        (name === undefined ? node.fixed.get(segment) : node.parameter) ?? createNode<R>()
      if (name === undefined) node.fixed.set(segment, next)
      else node.parameter = next
      node = next
    }
    return { node, names }
  }

  /** The node of a path's segments, and the values of its parameters. */
  function find(path: string) {
    const values: string[] = []
    let node: Node<R> | undefined = root
    let below: R | undefined
    for (const segment of path.slice(1).split('/')) {
      const next: Node<R> | undefined = node.fixed.get(tryDecodeURIComponent(segment))
      if (next === undefined && segment !== '') values.push(segment)
      node = next ?? (segment === '' ? undefined : node.parameter)
      if (node === undefined) break
      below = node.below ?? below
    }
    return { targets: node?.targets, values, below }
  }

  return {
    /** Adds the route of a path, whose parameters are in braces: `/links/{id}`. */
    add(method: string, path: string, route: R): void {
      const { node, names } = grow(path)
      node.targets.set(method, { route, names })
    },
    /** Adds the route of a path and everything below, by any method. */
    addBelow(path: string, route: R): void {
      grow(path).node.below = route
    },
    /** The route of a request. */
    match(method: string, path: string): Match<R> | undefined {
      const { targets, values, below } = find(path)
      const target = targets?.get(method)
      if (target === undefined)
        return below === undefined ? undefined : { route: below, params: {} }
      const entries = target.names.map((name, n) => [name, values[n] ?? ''] as const)
      return { route: target.route, params: Object.fromEntries(entries) }
    },
  }
}
