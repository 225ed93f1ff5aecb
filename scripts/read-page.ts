/** Commands of a page, and the answers to the last ones of them that it prints: in the next block, or in a comment. */
export interface Example {
  commands: string
  printed: string[]
}

/** The anchor of a heading, as GitHub makes it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

/** Reads the examples of a page: the first one, and those with an answer. Of the README, all but the installation. */
export function readExamples(page: string, text: string): Example[] {
  const isReadme = page === 'README.md'
  const found = [...text.matchAll(/^ *```(\w*)\n(.*?)^ *```\n(?:\n *```json\n(.*?)^ *```)?/gms)]
  const examples = found.flatMap(([, language, block = '', json = ''], index) => {
    const [commands = '', comment = ''] = block.split(/^ *# (?=[{[])/m)
    const printed = (json + comment).split(/\n(?=[{[])/).filter((value) => value.trim() !== '')
    const isRun = language === 'sh' && (index === 0 || isReadme || printed.length > 0)
    return isRun ? [{ commands, printed }] : []
  })
  return examples.slice(isReadme ? 1 : 0)
}

/** Parses an answer as pages print it: `…` stands for members that are left out. Throws a SyntaxError. */
export function parsePrinted(text: string): unknown {
  return JSON.parse(text.replaceAll(/…(?= *\])/g, '"…"').replaceAll(/…(?= *\})/g, '"…":0'))
}

const time = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)$/

/** Whether an answer is what a page prints: any number for a number, any time for a time, any text for `…`. */
export function isPrinted(printed: unknown, real: unknown): boolean {
  if (typeof printed === 'number') return typeof real === 'number'
  if (typeof printed === 'string' && typeof real === 'string')
    return time.test(printed) ? time.test(real) : isAlike(printed, real)
  if (typeof printed !== 'object' || printed === null) return printed === real
  if (typeof real !== 'object' || real === null) return false
  const members = Object.entries(printed).filter(([name, value]) => name !== '…' && value !== '…')
  const isWhole = members.length === Object.keys(printed).length
  if (isWhole && members.length !== Object.keys(real).length) return false
  return members.every(([name, value]) => isPrinted(value, Reflect.get(real, name)))
}

function isAlike(printed: string, real: string): boolean {
  const parts = printed.split('…').map((part) => part.replaceAll(/[^\w ]/g, String.raw`\$&`))
  return new RegExp(`^${parts.join('.*')}$`, 's').test(real)
}
