import { UnknownOption, usageError } from './errors.ts'
import type { CommandContext } from './output.ts'

/** A command: one of the hand-written ones, or one of an operation of the API. */
export interface Command {
  /** As it is typed: `users add`. */
  words: string
  summary: string
  description?: string
  args?: readonly Argument[]
  /** By name: `isPublished` is typed `--is-published`. */
  options?: Readonly<Record<string, Option>>
  /** What follows the name of the program. */
  example: string
  /** Loads the implementation, when the command runs. */
  load: () => Promise<Run>
}

/** Runs a command. Returns the exit code. */
export type Run = (context: CommandContext, input: CommandInput) => Promise<number>

export interface Argument {
  name: string
  description: string
  isOptional?: boolean
}

export interface Option {
  description: string
  /** What stands for its value in the help: `<text>`. Default: it is a flag. */
  value?: string
  /** Whether `--no-…` is its opposite. */
  isNegatable?: boolean
  /** Whether it may be repeated. */
  isList?: boolean
  isRequired?: boolean
}

/** What was typed after a command: its arguments, and its options by name. */
export interface CommandInput {
  args: readonly string[]
  /** The values of options. Those of a repeated one have commas between them. */
  texts: Readonly<Record<string, string | undefined>>
  flags: Readonly<Record<string, boolean | undefined>>
}

/** Writes a name as words of the command line: `replyToAddress` is `reply-to-address`. */
export function kebab(name: string): string {
  return name
    .replaceAll(/([a-z\d])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$3-$2')
    .replaceAll(/[\s_]+/g, '-')
    .toLowerCase()
}

/** Reads what was typed after a command. Throws an AppError (`invalid`). */
export function readInput({ args = [], options = {} }: Command, words: readonly string[]) {
  const names = new Map(Object.keys(options).map((name) => [kebab(name), name]))
  const input = {
    args: [] as string[],
    texts: {} as Record<string, string>,
    flags: {} as Record<string, boolean>,
  }
  const left = [...words]
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    if (word === '--') input.args.push(...left.splice(0))
    else if (!word.startsWith('-') || word === '-') input.args.push(word)
    else readOption(word, left)
  }
  const missing = Object.keys(options).find(
    (name) => options[name]?.isRequired && input.texts[name] === undefined,
  )
  if (missing !== undefined) throw usageError(`The option --${kebab(missing)} is missing.`)
  const needed = args.filter(({ isOptional }) => !isOptional)
  const absent = needed[input.args.length]
  if (absent !== undefined) throw usageError(`The argument <${absent.name}> is missing.`)
  // A variable that is not set must not stand for everything.
  const empty = args[input.args.indexOf('')]
  if (empty !== undefined) throw usageError(`The argument <${empty.name}> is empty.`)
  const extra = input.args[args.length]
  if (extra !== undefined) throw usageError(`The argument "${extra}" is one too many.`)
  return input

  function readOption(word: string, rest: string[]): void {
    const [, flag = '', text] = /^--?([^=]*)(?:=(.*))?$/s.exec(word) ?? []
    const positive = flag.replace(/^no-/, '')
    const name = names.get(flag) ?? names.get(positive) ?? ''
    const option = options[name]
    const isOpposite = option !== undefined && !names.has(flag)
    if (option === undefined || (isOpposite && !option.isNegatable) || !word.startsWith('--'))
      throw new UnknownOption(word, names.keys())
    if (option.value === undefined) {
      if (text !== undefined) throw usageError(`The option --${flag} has no value.`)
      input.flags[name] = !isOpposite
      return
    }
    const value = text ?? rest.shift()
    if (value === undefined) throw usageError(`The option --${flag} needs a value.`)
    const before = input.texts[name]
    if (before !== undefined && !option.isList)
      throw usageError(`The option --${flag} is given more than once.`)
    input.texts[name] = before === undefined ? value : `${before},${value}`
  }
}
