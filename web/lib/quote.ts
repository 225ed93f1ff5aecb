/** Quotes a text for a POSIX shell. */
export function quoteForSh(text: string): string {
  return /^[\w.@+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** Quotes a text for PowerShell, where typographic quotes end a text too. */
export function quoteForPowerShell(text: string): string {
  return `'${text.replace(/['\u2018-\u201B]/g, '$&$&')}'`
}
