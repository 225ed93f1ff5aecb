/** Text as it is searched: without regard to case, the same on every database. */
export function fold(...parts: (string | null | undefined)[]): string {
  return parts
    .filter((part) => part !== null && part !== undefined && part !== '')
    .join('\n')
    .normalize('NFC')
    .toLowerCase()
}
