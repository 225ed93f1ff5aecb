import { type Command, kebab } from './command.ts'
import { commandName } from './command-name.ts'

/** A heading of a help, and its rows: what is typed, and what it does. */
export type HelpPart = readonly [heading: string, rows: readonly (readonly [string, string])[]]

const leftMax = 30
const indent = '  '

/** Formats a help of parts in two columns. */
export function formatHelp(
  {
    usage,
    about,
    parts,
    example,
  }: { usage: string; about: string[]; parts: HelpPart[]; example: string },
  width = 80,
): string[] {
  const left = Math.min(
    leftMax,
    Math.max(...parts.flatMap(([, rows]) => rows.map(([text]) => text.length))),
  )
  const start = indent.length + left + indent.length
  const formatRow = ([text, meaning]: readonly [string, string]): string[] => {
    const [first = '', ...others] = wrap(meaning, Math.max(30, width - start))
    const rest = others.map((line) => ' '.repeat(start) + line)
    const lead = indent + text.padEnd(left) + indent
    return text.length > left
      ? [indent + text, ' '.repeat(start) + first, ...rest]
      : [(lead + first).trimEnd(), ...rest]
  }
  return [
    `Usage: ${usage}`,
    ...about.flatMap((text) => ['', ...wrap(text, width)]),
    ...parts.flatMap(([heading, rows]) =>
      rows.length === 0 ? [] : ['', `${heading}:`, ...rows.flatMap(formatRow)],
    ),
    '',
    'Example:',
    `${indent}${commandName} ${example}`,
  ]
}

/** Formats the help of one command. */
export function commandHelp(command: Command, width?: number): string[] {
  const { words, summary, description, args = [], options = {}, example } = command
  const shownArgs = args.map(({ name, isOptional }) => (isOptional ? `[${name}]` : `<${name}>`))
  const rows = Object.entries(options).map(
    ([name, { value, isNegatable, isRequired, ...rest }]) => {
      const negative = isNegatable === true ? `, --no-${kebab(name)}` : ''
      const text = `--${kebab(name)}${value === undefined ? negative : ` ${value}`}`
      return [text, `${rest.description}${isRequired === true ? ' Required.' : ''}`] as const
    },
  )
  return formatHelp(
    {
      usage: ['mailyard', words, ...shownArgs, '[options]'].join(' '),
      about: [summary, ...(description === undefined ? [] : description.split('\n\n'))],
      parts: [
        ['Arguments', args.map(({ name, description }) => [name, description])],
        ['Options', [...rows, ...commonRows]],
      ],
      example,
    },
    width,
  )
}

/** The options of every command. */
export const commonRows = [
  ['--json', 'Answers in JSON.'],
  ['-h, --help', 'Shows this help.'],
] as const

/** Breaks a text into lines. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > width) lines.push(line.trimEnd())
    line = line === '' || line.length + 1 + word.length > width ? word : `${line} ${word}`
  }
  return line === '' ? lines : [...lines, line]
}
