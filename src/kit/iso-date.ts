/** Formats a time for the API: ISO 8601 with seconds and a numeric offset, `2026-01-31T15:54:35+00:00`. */
export function formatDate(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}+00:00`
}

/** Like `formatDate`; null for null. */
export function formatOptionalDate(epochMs: number | null): string | null {
  return epochMs === null ? null : formatDate(epochMs)
}

/** Returns the day of a time in UTC: `2026-01-31`. */
export function dayOf(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 10)
}
