import { existsSync } from 'node:fs'

/** Networks of several nodes, each of which can be cut without closing connections. */
export interface TestNetworks {
  readonly nodes: readonly TestNetwork[]
  dispose(): void
}

/** The network of one node. */
export interface TestNetwork {
  /** Commands before its program that run it in the network. */
  readonly wrapper: string[]
  /** The node's address for its visitors. */
  readonly host: string
  /** This machine's address on the node's second link, for the servers. */
  readonly servers: string
  /** Drops all packets of the second link, both ways, without closing connections. */
  cut(): void
  restore(): void
}

/** An unused hardware address, so frames to it are lost. */
const NOWHERE = '02:00:00:00:00:01'
let networksMade = 0

function ip(...args: string[]): boolean {
  return Bun.spawnSync(['ip', ...args], { stdout: 'ignore', stderr: 'ignore' }).exitCode === 0
}

function must(...args: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(['ip', ...args], { stdout: 'ignore', stderr: 'pipe' })
  if (exitCode !== 0) throw new Error(`ip ${args.join(' ')}: ${stderr}`)
}

/** Why tests that cut networks are skipped on this machine; undefined: they aren't. */
export const networksMissing: string | undefined = whyMissing()

function whyMissing(): string | undefined {
  const why = 'needs network namespaces, and root'
  if (process.getuid?.() !== 0 || Bun.which('ip') === null) return why
  const name = `slug-probe-${process.pid}`
  if (!ip('netns', 'add', name)) return why
  const isEthernet = ip('-n', name, 'link', 'add', 'v0', 'type', 'veth', 'peer', 'name', 'v1')
  ip('netns', 'del', name)
  return isEthernet ? undefined : why
}

/** Removes networks of killed processes. */
function removeForgotten(): void {
  const { stdout } = Bun.spawnSync(['ip', 'netns', 'list'])
  for (const [name, pid] of stdout.toString().matchAll(/^slug-(\d+)-\S+/gm)) {
    if (!existsSync(`/proc/${pid}`)) ip('netns', 'del', name)
  }
}

/** The second number of an unused network 10.x.0.0/16. */
function freeBlock(): number {
  for (;;) {
    const block = 128 + Math.floor(Math.random() * 127)
    const { stdout } = Bun.spawnSync(['ip', 'addr', 'show', 'to', `10.${block}.0.0/16`])
    if (stdout.length === 0) return block
  }
}

/**
 * Creates one network namespace (network_namespaces(7)) per node, with two links to this machine:
 * one for visitors, which always works, and one to the servers. A link is cut by giving each end a
 * wrong hardware address for the other: packets are lost, like with an unplugged cable elsewhere.
 */
export function openNetworks(count: number): TestNetworks {
  const id = `${process.pid.toString(36)}${(networksMade++).toString(36)}`
  removeForgotten()
  const block = freeBlock()
  const names: string[] = []
  const nodes = Array.from({ length: count }, (_, i): TestNetwork => {
    const name = `slug-${process.pid}-${id}-${i}`
    must('netns', 'add', name)
    names.push(name)
    must('-n', name, 'link', 'set', 'lo', 'up')
    const line = (kind: 'v' | 's', net: number) => {
      const here = `${kind}${id}${i}`
      const [near, far] = [`10.${block}.${net}.1`, `10.${block}.${net}.2`]
      must('link', 'add', here, 'type', 'veth', 'peer', 'name', kind, 'netns', name)
      must('addr', 'add', `${near}/30`, 'dev', here)
      must('link', 'set', here, 'up')
      must('-n', name, 'addr', 'add', `${far}/30`, 'dev', kind)
      must('-n', name, 'link', 'set', kind, 'up')
      return { here, near, far }
    }
    const visitors = line('v', 2 * i)
    const servers = line('s', 2 * i + 1)
    const ends = [
      [[], [servers.far, 'dev', servers.here]],
      [
        ['-n', name],
        [servers.near, 'dev', 's'],
      ],
    ] as const
    const neighbours = (verb: string, ...more: string[]) => {
      for (const [where, end] of ends) must(...where, 'neigh', verb, ...end, ...more)
    }
    return {
      wrapper: ['ip', 'netns', 'exec', name],
      host: visitors.far,
      servers: servers.near,
      cut: () => neighbours('replace', 'lladdr', NOWHERE, 'nud', 'permanent'),
      restore: () => neighbours('del'),
    }
  })
  return {
    nodes,
    dispose() {
      for (const name of names) ip('netns', 'del', name)
    },
  }
}
