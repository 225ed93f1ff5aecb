const looks = {
  /** Light or dark; as the system by default. */
  scheme: ['system', 'light', 'dark'],
  /** How high the rows of tables are: a line, or two. */
  density: ['compact', 'comfortable'],
} as const

export type Look = keyof typeof looks

/** What the reader chose for this browser; the first by default. */
export function readLook(look: Look): string {
  const stored = localStorage.getItem(`mailyard.${look}`)
  return looks[look].find((value) => value === stored) ?? looks[look][0]
}

/** Stores a choice, and applies all. */
export function applyLooks(change: Partial<Record<Look, string>> = {}): void {
  for (const [look, value] of Object.entries(change))
    localStorage.setItem(`mailyard.${look}`, value)
  const { dataset } = document.documentElement
  for (const look of Object.keys(looks) as Look[]) dataset[look] = readLook(look)
}
