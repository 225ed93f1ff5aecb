const dateText =
  /^\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(?<zone>Z|[+-]\d{2}:?\d{2})?)?$/

/**
 * A time in milliseconds since the epoch, from such as `2026-01-31`, `2026-01-31 15:54:35` or `2026-01-31T15:54:35+01:00`; in
 * UTC where no zone is named. Undefined where it is none: a time is not guessed at.
 */
export function readDate(text: string): number | undefined {
  const found = dateText.exec(text)
  if (found === null) return undefined
  const hasZone = found.groups?.['zone'] !== undefined
  const time = Date.parse(hasZone || text.length === 10 ? text : `${text}Z`)
  return Number.isNaN(time) ? undefined : time
}
