/** A loading spinner; use it together with a text. */
export function Spinner({ size = 14 }: { size?: number }) {
  return (
    <svg
      aria-hidden="true"
      className="animate-spin"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
    >
      <circle cx="8" cy="8" r="6.5" opacity="0.25" />
      <path d="M8 1.5A6.500 6.500 0 0 1 14.500 8" />
    </svg>
  )
}
