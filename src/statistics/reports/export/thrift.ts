/**
 * Thrift's compact protocol, as far as Parquet's footer needs it
 * (https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md). Values keep
 * their types, so that what was read can be written again as it was.
 */
export type ThriftValue =
  | { type: 'boolean'; value: boolean }
  | { type: 'integer'; code: number; value: bigint }
  /** Whatever is taken over as it is: bytes, texts, doubles, and what is written already. */
  | { type: 'bytes'; code: number; value: Uint8Array }
  | { type: 'list'; code: number; of: number; value: ThriftValue[] }
  | { type: 'struct'; value: ThriftStruct }

/** Fields by their number, ascending. */
export type ThriftStruct = Map<number, ThriftValue>

const TRUE = 1
const FALSE = 2
const BYTE = 3
/** `i16`, `i32` and `i64` are written alike. */
const INTEGERS = [4, 5, 6]
const DOUBLE = 7
const BINARY = 8
const LISTS = [9, 10]
/** The code of structs, also of one that is written already. */
export const STRUCT = 12
const LONG_LIST = 15

/** Reads a struct. @throws RangeError when it isn't one */
export function readStruct(bytes: Uint8Array): ThriftStruct {
  let at = 0

  function next(): number {
    const byte = bytes[at++]
    if (byte === undefined) throw new RangeError('The struct has no end')
    return byte
  }

  function unsigned(): bigint {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = next()
      value |= BigInt(byte & 127) << shift
      if (byte < 128) return value
    }
  }

  function integer(): bigint {
    const zigzag = unsigned()
    return (zigzag >> 1n) ^ -(zigzag & 1n)
  }

  function take(length: number): Uint8Array {
    at += length
    if (at > bytes.length) throw new RangeError('The struct has no end')
    return bytes.slice(at - length, at)
  }

  function value(code: number): ThriftValue {
    if (INTEGERS.includes(code)) return { type: 'integer', code, value: integer() }
    if (code === BINARY) return { type: 'bytes', code, value: take(Number(unsigned())) }
    if (code === DOUBLE) return { type: 'bytes', code, value: take(8) }
    if (code === BYTE) return { type: 'bytes', code, value: take(1) }
    if (code === STRUCT) return { type: 'struct', value: struct() }
    if (!LISTS.includes(code)) throw new RangeError(`No such type: ${code}`)
    const head = next()
    const of = head & 15
    const length = head >> 4 === LONG_LIST ? Number(unsigned()) : head >> 4
    const list = Array.from({ length }, () => {
      // In a list a boolean has a byte of its own.
      return of === TRUE || of === FALSE ? boolean(next()) : value(of)
    })
    return { type: 'list', code, of, value: list }
  }

  function struct(): ThriftStruct {
    const fields: ThriftStruct = new Map()
    for (let id = 0; ; ) {
      const head = next()
      if (head === 0) return fields
      id = head >> 4 === 0 ? Number(integer()) : id + (head >> 4)
      const code = head & 15
      fields.set(id, code === TRUE || code === FALSE ? boolean(code) : value(code))
    }
  }

  return struct()
}

function boolean(code: number): ThriftValue {
  return { type: 'boolean', value: code === TRUE }
}

/** Bytes that {@link readStruct} reads as the same struct. */
export function writeStruct(struct: ThriftStruct): Uint8Array {
  const bytes: number[] = []

  function unsigned(value: bigint): void {
    let rest = value
    for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128)
    bytes.push(Number(rest))
  }

  function integer(value: bigint): void {
    unsigned(BigInt.asUintN(64, (value << 1n) ^ (value >> 63n)))
  }

  function write(it: ThriftValue): void {
    switch (it.type) {
      case 'boolean':
        bytes.push(it.value ? TRUE : FALSE)
        return
      case 'integer':
        integer(it.value)
        return
      case 'bytes':
        if (it.code === BINARY) unsigned(BigInt(it.value.length))
        for (const byte of it.value) bytes.push(byte)
        return
      case 'list': {
        const { length } = it.value
        bytes.push((Math.min(length, LONG_LIST) << 4) | it.of)
        if (length >= LONG_LIST) unsigned(BigInt(length))
        for (const one of it.value) write(one)
        return
      }
      case 'struct':
        fields(it.value)
    }
  }

  function fields(of: ThriftStruct): void {
    let last = 0
    for (const [id, it] of of) {
      const code = codeOf(it)
      if (id > last && id - last < 16) bytes.push(((id - last) << 4) | code)
      else {
        bytes.push(code)
        integer(BigInt(id))
      }
      last = id
      if (it.type !== 'boolean') write(it)
    }
    bytes.push(0)
  }

  fields(struct)
  return Uint8Array.from(bytes)
}

function codeOf(it: ThriftValue): number {
  if (it.type === 'boolean') return it.value ? TRUE : FALSE
  return it.type === 'struct' ? STRUCT : it.code
}
