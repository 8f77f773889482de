import { List, type Page } from './pages.js'
import type { paths } from './schema.js'
import { follow } from './stream.js'
import {
  assertId,
  type RequestOptions,
  type Send,
  type Transport,
  type WriteOptions,
} from './transport.js'

/** A path of the API without `/api/v1`. */
export type Path = keyof paths extends infer K ? (K extends `/api/v1${infer P}` ? P : never) : never
type Full<P extends Path> = Extract<`/api/v1${P}`, keyof paths>
type Verb = 'get' | 'post' | 'put' | 'patch' | 'delete'
type Operation<P extends Path, V extends Verb> = V extends keyof paths[Full<P>]
  ? paths[Full<P>][V]
  : never

/** The query parameters of an endpoint; undefined ones are left out. */
export type Query<P extends Path, V extends Verb = 'get'> =
  Operation<P, V> extends { parameters: { query?: infer Q } } ? OrUndefined<NonNullable<Q>> : object
type OrUndefined<Q> = {
  [K in keyof Q]: Record<never, never> extends Pick<Q, K> ? Q[K] | undefined : Q[K]
}

/** The JSON body of a request. */
export type Body<P extends Path, V extends Verb> =
  Operation<P, V> extends { requestBody?: { content: { 'application/json': infer B } } } ? B : never

type Success<R> = R extends { content: { 'application/json': infer J } } ? J : undefined

/** The JSON of a successful response; undefined if it has none. */
export type Result<P extends Path, V extends Verb = 'get'> =
  Operation<P, V> extends { responses: infer R } ? Success<R[keyof R]> : never

/** What a list has. */
export type Item<P extends Path> = Result<P> extends { data: (infer T)[] } ? T : never

/** Options of a request that changes something. */
export type Write<P extends Path, V extends Verb> = WriteOptions<Query<P, V>>

type Ids = readonly string[]

/** Calls of endpoints, typed by their path. */
export function callsOf(transport: Transport) {
  return {
    get: <P extends Path>(path: P, ids: Ids, query?: Query<P>, options?: RequestOptions) =>
      transport.json({
        ...options,
        method: 'GET',
        path: filledIn(path, ids),
        query: query ?? {},
      }) as Promise<Result<P>>,
    write: <P extends Path, V extends Verb>(
      verb: V,
      path: P,
      ids: Ids,
      body?: Body<P, V>,
      options?: Write<P, V> & Pick<Send, 'once'>,
    ) =>
      transport.json({
        ...options,
        method: verb.toUpperCase(),
        path: filledIn(path, ids),
        body,
      }) as Promise<Result<P, V>>,
    upload: <P extends Path>(
      path: P,
      upload: NonNullable<Send['upload']>,
      options?: Write<P, 'post'>,
    ) => transport.json({ ...options, method: 'POST', path, upload }) as Promise<Result<P, 'post'>>,
    list: <P extends Path>(path: P, ids: Ids, query?: Query<P>, options?: RequestOptions) =>
      new List<Item<P>, Result<P> & Page<Item<P>>>(
        (cursor) =>
          transport.json({
            ...options,
            method: 'GET',
            path: filledIn(path, ids),
            query: { ...query, ...(cursor !== undefined && { cursor }) },
          }) as Promise<Result<P> & Page<Item<P>>>,
      ),
    file: <P extends Path>(path: P, ids: Ids, query?: Query<P>, options?: RequestOptions) =>
      transport.response({
        ...options,
        method: 'GET',
        path: filledIn(path, ids),
        query: query ?? {},
        headers: { Accept: '*/*' },
      }),
    response: (send: Send) => {
      for (const part of send.path.split('/').slice(1)) assertId(part)
      return transport.response({ ...send, headers: { Accept: '*/*', ...send.headers } })
    },
    follow: <T>(path: Path, query: object, options?: RequestOptions) =>
      follow<T>(transport, { ...options, method: 'GET', path, query }),
  }
}

/** See {@link callsOf}. */
export type Calls = ReturnType<typeof callsOf>

/** Creating, reading, changing and deleting the objects of a collection. */
export function collectionOf<P extends Path, I extends Path>(calls: Calls, path: P, one: I) {
  return {
    list: (query?: Query<P>, options?: RequestOptions) => calls.list(path, [], query, options),
    create: (object: Body<P, 'post'>, options?: Write<P, 'post'>) =>
      calls.write('post', path, [], object, options),
    get: (id: string, options?: RequestOptions) => calls.get(one, [id], undefined, options),
    update: (id: string, changes: Body<I, 'patch'>, options?: Write<I, 'patch'>) =>
      calls.write('patch', one, [id], changes, options),
    delete: (id: string, options?: Write<I, 'delete'>) =>
      calls.write('delete', one, [id], undefined, options),
  }
}

/** @throws InvalidIdError */
function filledIn(path: string, ids: Ids): string {
  const rest = [...ids]
  return path.replaceAll(/\{\w+\}/g, () => {
    const id = rest.shift() ?? ''
    assertId(id)
    return encodeURIComponent(id)
  })
}
