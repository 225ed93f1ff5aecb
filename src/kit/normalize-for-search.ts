/** Joins texts and normalizes them for search: to NFC and lower case, the same on every database. */
export function normalizeForSearch(...parts: (string | null | undefined)[]): string {
  return parts
    .filter((part) => part !== null && part !== undefined && part !== '')
    .join('\n')
    .normalize('NFC')
    .toLowerCase()
}

/** How many characters of a record a search looks into. */
const searchTextMax = 1_000

/** Returns what a search of a record looks into: the first 1,000 characters of its texts, normalized. */
export function searchTextOf(...parts: (string | null | undefined)[]): string {
  return normalizeForSearch(...parts)
    .slice(0, searchTextMax)
    .toWellFormed()
}

/** Returns the key of an email address: equal for addresses that differ only in outer blanks, letter case and needless quotes. */
export function emailKey(address: string): string {
  const plain = address.trim().replace(/^"((?:[^"\\]|\\.)*)"(?=@[^@]*$)/, (_, quoted: string) => {
    const local = quoted.replace(/\\(.)/g, '$1')
    return /^[^\s"(),:;<>@[\\\]]+$/.test(local) ? local : `"${local.replace(/["\\]/g, '\\$&')}"`
  })
  return plain.normalize('NFC').toLowerCase()
}

/** Returns the key of a name: equal for names that differ only in outer blanks and letter case. */
export function nameKey(name: string): string {
  return normalizeForSearch(name.trim())
}
