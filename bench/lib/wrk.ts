import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from './temporary.ts'

/** The result of a wrk run. Latencies in milliseconds. */
export interface LoadResult {
  requests: number
  perSecond: number
  p50: number
  p99: number
  /** Responses that were neither 2xx nor 3xx. */
  refused: number
  socketErrors: number
}

/**
 * A load whose requests are made by a Lua script (https://github.com/wg/wrk/blob/master/SCRIPTING).
 */
export interface Load {
  url: string
  seconds: number
  connections: number
  script: string
  /** The core that the load runs on. */
  core: number
}

/** Runs wrk on a separate core until it ends. */
export async function runLoad(load: Load): Promise<LoadResult> {
  const script = join(temporaryDirectory(), 'load.lua')
  writeFileSync(script, load.script)
  const args = ['taskset', '-c', String(load.core), 'wrk', '-t1', `-c${load.connections}`]
  args.push(`-d${load.seconds}s`, '--latency', '-s', script, load.url)
  const child = Bun.spawn(args, { stdout: 'pipe', stderr: 'inherit' })
  const text = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error(`wrk failed:\n${text}`)
  const number = (pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? 0)
  // Other percentages are at the ends of lines.
  const quantile = (name: string) =>
    milliseconds(new RegExp(`^\\s*${name}\\s+(\\S+)`, 'm').exec(text)?.[1])
  const errors = /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(text)
  return {
    requests: number(/(\d+) requests in/),
    perSecond: number(/Requests\/sec:\s+([\d.]+)/),
    p50: quantile('50%'),
    p99: quantile('99%'),
    refused: number(/Non-2xx or 3xx responses: (\d+)/),
    socketErrors: errors === null ? 0 : errors.slice(1).reduce((sum, n) => sum + Number(n), 0),
  }
}

function milliseconds(text: string | undefined): number {
  const value = Number.parseFloat(text ?? '')
  if (text?.endsWith('us')) return value / 1000
  return text?.endsWith('ms') ? value : value * 1000
}

/** A browser's headers, and `path`, or a random slug of `count` (see `slugAt`). */
export function visitorScript(count: number, path?: string): string {
  return `
local digits = "0123456789abcdefghijklmnopqrstuvwxyz"
math.randomseed(os.time())
local headers = {
  ["User-Agent"] = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36",
  ["Accept"] = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
  ["Accept-Language"] = "de-DE,de;q=0.9,en;q=0.8",
  ["Accept-Encoding"] = "gzip, deflate, br",
  ["Referer"] = "https://news.example.org/a/b",
}
request = function()${path === undefined ? '' : `\n  do return wrk.format("GET", "${path}", headers) end`}
  local n, slug = math.random(0, ${count - 1}), ""
  for i = 1, 6 do
    local r = n % 36
    slug = digits:sub(r + 1, r + 1) .. slug
    n = math.floor(n / 36)
  end
  return wrk.format("GET", "/s" .. slug, headers)
end`
}

/** The slug of the n-th seeded link. */
export function slugAt(n: number): string {
  return `s${n.toString(36).padStart(6, '0')}`
}
