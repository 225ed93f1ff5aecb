/** PHP's numeric text: blanks around it are allowed, hexadecimal and digit separators are not. */
const numeric =
  /^[ \t\n\r\v\f]*[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[ \t\n\r\v\f]*$/
const leading = /^[ \t\n\r\v\f]*([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)/
/** A number's text is short; what is longer than this is not worth reading to its end. */
export const longestNumber = 512

/** The number that a whole text spells, or undefined where it spells none (`is_numeric`). */
export function findNumber(text: string): number | undefined {
  const first = text.charCodeAt(0)
  // Digits, sign, point and blanks all come before ':'; nearly every name ends here.
  if (text === '' || first > 57 || text.length > longestNumber) return undefined
  return numeric.test(text) ? Number(text) : undefined
}

/** The number at the beginning of a text ('5 apples' is 5), or undefined. */
export function findLeadingNumber(text: string): number | undefined {
  const match = leading.exec(text.slice(0, longestNumber))
  return match?.[1] === undefined ? undefined : Number(match[1])
}
