/** Splits a line of a shell into words; what is in single quotes is one. */
export function wordsOf(line: string): string[] {
  return [...line.matchAll(/(?:'[^']*'|\\'|[^\s'])+/g)].map(([word]) =>
    word.replaceAll(/'([^']*)'|\\(')/g, '$1$2'),
  )
}
