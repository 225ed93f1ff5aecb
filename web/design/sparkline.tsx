/** Counts over time as small bars, the lower part of each in the colour of faults. `label` says them in words. */
export function Sparkline({
  counts,
  faults,
  outcome,
  label,
}: {
  counts: readonly number[]
  /** How many of each count are faults. */
  faults: readonly number[]
  /** The outcome whose colour the faults have; that of refusals by default. */
  outcome?: string
  label: string
}) {
  const max = Math.max(1, ...counts)
  return (
    <svg
      class="sparkline"
      data-outcome={outcome}
      role="img"
      aria-label={label}
      viewBox={`0 0 ${counts.length} ${height}`}
      preserveAspectRatio="none"
    >
      <title>{label}</title>
      {counts.map((count, index) => {
        const all = barOf(count, max)
        const faulty = barOf(faults[index] ?? 0, max)
        return (
          <g key={index}>
            <rect x={index} width={width} y={height - all} height={all} />
            <rect class="bad" x={index} width={width} y={height - faulty} height={faulty} />
          </g>
        )
      })}
    </svg>
  )
}

const height = 20
const width = 0.8

/** The height of a bar: at least one step where there is something, and a base line where there is nothing. */
function barOf(count: number, max: number): number {
  return count === 0 ? 0 : Math.max(2, (count / max) * height)
}
