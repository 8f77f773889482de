import { useEffect, useRef, useState } from 'react'

/** A value after it hasn't changed for a while. */
export function useDebounced<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}

/** Like {@link useDebounced}, but passes on the first change immediately. */
export function useLeadingDebounce<T>(value: T, ms: number): T {
  const [passed, setPassed] = useState(value)
  const before = useRef(value)
  const changedAt = useRef(Number.NEGATIVE_INFINITY)
  useEffect(() => {
    const now = performance.now()
    const isSoon = now - changedAt.current < ms
    if (!Object.is(before.current, value)) changedAt.current = now
    before.current = value
    const timer = setTimeout(() => setPassed(value), isSoon ? ms : 0)
    return () => clearTimeout(timer)
  }, [value, ms])
  return passed
}
