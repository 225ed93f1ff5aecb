import type { ParameterizedValue } from './content-type.ts'

/** Whether the text is `format=flowed` (RFC 3676), where the ends and beginnings of lines have a meaning. */
export function isFlowed({ value, parameters }: ParameterizedValue): boolean {
  return value === 'text/plain' && parameters.get('format')?.toLowerCase() === 'flowed'
}

/** What is around a text that is put into flowed text. */
interface Surroundings {
  before: string
  after: string
  lineEnd: string
}

/** A text as flowed text holds it, each line as a line of its own: no line is quoted or flows into the next. */
export function asFlowed(value: string, { before, after, lineEnd }: Surroundings): string {
  const beginsLine = before === '' || before.endsWith('\n')
  const endsLine = after.startsWith(lineEnd)
  const lines = value.split(lineEnd)
  return lines
    .map((line, index) => {
      const isWhole = index < lines.length - 1 || endsLine
      const fixed = isWhole && line !== '-- ' ? line.trimEnd() : line
      const isStuffed = (index > 0 || beginsLine) && /^([ >]|From )/.test(fixed)
      return isStuffed ? ` ${fixed}` : fixed
    })
    .join(lineEnd)
}
