import { useEffect, useRef, useState } from 'react'

/** A value after it hasn't changed for a while. */
export function useDebounced<T>(value: T, ms: number): T {
  const [still, setStill] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setStill(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return still
}

/** The first change immediately; changes soon after another one are debounced. */
export function useLeadingDebounce<T>(value: T, ms: number): T {
  const [calm, setCalm] = useState(value)
  const before = useRef(value)
  const changedAt = useRef(Number.NEGATIVE_INFINITY)
  useEffect(() => {
    const now = performance.now()
    const isSoon = now - changedAt.current < ms
    if (!Object.is(before.current, value)) changedAt.current = now
    before.current = value
    const timer = setTimeout(() => setCalm(value), isSoon ? ms : 0)
    return () => clearTimeout(timer)
  }, [value, ms])
  return calm
}
