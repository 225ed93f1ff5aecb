/** The most octets of a name in DNS, written with dots. */
const nameLengthMax = 253

/**
 * Whether a name can be asked for: names of look-ups also have characters that no host has (RFC 2181, section 11). Dots
 * separate labels of 1 to 63 characters.
 */
export function isQueryName(text: string): boolean {
  return /^[!#-\-/-[\]-~]{1,63}(?:\.[!#-\-/-[\]-~]{1,63})*$/.test(text)
}

/** Whether a name has more octets than a name in DNS can have. */
export function isTooLong(name: string): boolean {
  return name.length > nameLengthMax
}
