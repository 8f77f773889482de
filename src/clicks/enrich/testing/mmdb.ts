import ipaddr from 'ipaddr.js'

type Value = string | number | readonly Value[] | { readonly [key: string]: Value }
type Node = [left: Slot, right: Slot]
type Slot = Node | { data: number } | null

/**
 * Creates a MaxMind database (format 2.0, https://maxmind.github.io/MaxMind-DB/) of networks and
 * their entries, with 24-bit records and IPv6 addresses; IPv4 is in `::/96`.
 */
export function makeDatabase(type: string, networks: Record<string, Value>): Buffer {
  const root: Node = [null, null]
  const data: Buffer[] = []
  let dataLength = 0
  for (const [network, value] of Object.entries(networks)) {
    const [address, given] = ipaddr.parseCIDR(network)
    const isV4 = address.kind() === 'ipv4'
    const bytes = [...(isV4 ? new Array<number>(12).fill(0) : []), ...address.toByteArray()]
    insert(root, bytes, given + (isV4 ? 96 : 0), { data: dataLength })
    const encoded = encode(value)
    data.push(encoded)
    dataLength += encoded.length
  }
  const nodes: Node[] = []
  const number = new Map<Node, number>()
  const visit = (node: Node) => {
    number.set(node, nodes.push(node) - 1)
    for (const slot of node) if (Array.isArray(slot)) visit(slot)
  }
  visit(root)
  const tree = Buffer.alloc(nodes.length * 6)
  for (const [i, node] of nodes.entries()) {
    for (const [side, slot] of node.entries()) {
      let record = nodes.length
      if (Array.isArray(slot)) record = number.get(slot) as number
      else if (slot !== null) record = nodes.length + 16 + slot.data
      tree.writeUIntBE(record, i * 6 + side * 3, 3)
    }
  }
  const metadata = encode({
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_790_000_000,
    database_type: type,
    description: { en: 'A test' },
    ip_version: 6,
    languages: ['en'],
    node_count: nodes.length,
    record_size: 24,
  })
  const marker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')
  return Buffer.concat([tree, Buffer.alloc(16), ...data, marker, metadata])
}

function insert(root: Node, bytes: readonly number[], bits: number, leaf: { data: number }): void {
  let node = root
  for (let i = 0; i < bits; i++) {
    const side = ((bytes[i >> 3] as number) >> (7 - (i & 7))) & 1
    if (i === bits - 1) {
      node[side] = leaf
      return
    }
    const next = node[side]
    if (Array.isArray(next)) node = next
    else {
      const made: Node = [null, null]
      node[side] = made
      node = made
    }
  }
}

/** Types of the format: 2 string, 6 unsigned 32 bits, 7 map, 11 array. */
function encode(value: Value): Buffer {
  if (typeof value === 'string') {
    const text = Buffer.from(value)
    return Buffer.concat([control(2, text.length), text])
  }
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return Buffer.concat([control(6, 4), bytes])
  }
  if (Array.isArray(value)) {
    const items = value as readonly Value[]
    return Buffer.concat([control(11, items.length), ...items.map(encode)])
  }
  const members = Object.entries(value)
  return Buffer.concat([
    control(7, members.length),
    ...members.flatMap(([key, member]) => [encode(key), encode(member)]),
  ])
}

function control(type: number, size: number): Buffer {
  if (size > 284) throw new RangeError('Too long for a test')
  const first = (type > 7 ? 0 : type << 5) | Math.min(size, 29)
  const bytes = [first]
  if (type > 7) bytes.push(type - 7)
  if (size >= 29) bytes.push(size - 29)
  return Buffer.from(bytes)
}
