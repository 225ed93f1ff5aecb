import { suggest } from '../../kit/suggest.ts'
import { apiCommands } from './api/commands.ts'
import { apiGroups, singularOf } from './api/document.ts'
import { type Command, readInput } from './command.ts'
import { commandName } from './command-name.ts'
import { commands } from './commands.ts'
import { exitCodes, printError, UnknownOption, usageError } from './errors.ts'
import { commandHelp, commonRows, formatHelp, type HelpPart } from './help.ts'
import { type CliEnvironment, Output } from './output.ts'

/** Runs a command line. Returns the exit code. */
export async function run(args: readonly string[], environment: CliEnvironment): Promise<number> {
  const { stdout } = environment
  const isJson = args.includes('--json')
  const words = args.filter((word) => word !== '--json')
  const asksHelp = words[0] === 'help' || words.some((word) => ['--help', '-h'].includes(word))
  if (asksHelp)
    words.splice(0, words.length, ...words.filter(isWord).slice(Number(words[0] === 'help')))
  const print = (lines: readonly string[]) => stdout.write(`${lines.join('\n')}\n`)
  const width = Math.min(stdout.columns ?? 80, 100)
  try {
    if (['--version', '-V'].includes(words[0] ?? '')) {
      const { readVersion } = await import('../../kit/read-version.ts')
      print([readVersion()])
      return exitCodes.ok
    }
    const command = findCommand(words)
    if (command === undefined) {
      const help = words.length === 0 ? programHelp(width) : groupHelp(words[0] ?? '', width)
      if (asksHelp) print(help)
      else if (isJson) throw usageError('A command is missing; --help lists them.')
      else environment.stderr.write(`${help.join('\n')}\n`)
      return asksHelp ? exitCodes.ok : exitCodes.usage
    }
    if (asksHelp) {
      print(commandHelp(command, width))
      return exitCodes.ok
    }
    const input = readInput(command, words.slice(command.words.split(' ').length))
    const work = await command.load()
    return await work({ environment, output: new Output(stdout, isJson) }, input)
  } catch (error) {
    return printError(error, isJson, environment)
  }
}

const isWord = (word: string) => !word.startsWith('-')

/** Whether two words mean the same group: it is also known by its singular, as in `user add`. */
const isSame = (word: string, group: string) =>
  word === group || singularOf(word) === singularOf(group)

/** Finds the command of a command line; undefined for a group without one. Throws an AppError (`invalid`) for an unknown one. */
export function findCommand([word, second]: readonly string[]): Command | undefined {
  if (word === undefined) return undefined
  if (!isWord(word)) throw new UnknownOption(word, ['version'])
  const own = commands.find(({ words }) => {
    const [group = '', name] = words.split(' ')
    return name === undefined ? word === group : isSame(word, group) && second === name
  })
  if (own !== undefined) return own
  const group = groupNamed(word)
  if (second === undefined || !isWord(second)) return undefined
  const found = group.find(({ words }) => words.split(' ')[1] === second)
  if (found !== undefined) return found
  throw unknownCommand(
    `${word} ${second}`,
    second,
    group.map(({ words }) => words.split(' ')[1] ?? ''),
  )
}

/** Returns the commands of a group: the hand-written ones first. Throws an AppError (`invalid`) for an unknown one. */
function groupNamed(word: string): Command[] {
  const own = commands.filter(({ words }) => isSame(word, words.split(' ')[0] ?? ''))
  const api = apiGroups().find(({ name }) => isSame(word, name))
  const all = [...own, ...(api === undefined ? [] : apiCommands(api))]
  if (all.length > 0) return all
  const known = [
    ...commands.map(({ words }) => words.split(' ')[0] ?? ''),
    ...apiGroups().map(({ name }) => name),
  ]
  throw unknownCommand(word, word, known)
}

/** What other programs call the commands of most groups. */
const synonyms: Readonly<Record<string, string>> = {
  add: 'create',
  ls: 'list',
  new: 'create',
  remove: 'delete',
  rm: 'delete',
  show: 'get',
  update: 'edit',
}

function unknownCommand(typed: string, word: string, known: readonly string[]): Error {
  const meant = Object.hasOwn(synonyms, word) ? (synonyms[word] ?? word) : word
  const advice = suggest(meant, new Set(known)) ?? '--help lists the commands.'
  return usageError(`Unknown command "${typed}". ${advice}`)
}

function groupHelp(word: string, width: number): string[] {
  const group = groupNamed(word)
  const [{ words: first, example } = { words: word, example: word }] = group
  const [name = word] = first.split(' ')
  const { description = [] } = apiGroups().find((each) => each.name === name) ?? {}
  const rows = group.map(({ words, summary, args = [] }) => {
    const shown = args.map((arg) => (arg.isOptional ? ` [${arg.name}]` : ` <${arg.name}>`))
    return [`${words.slice(name.length + 1)}${shown.join('')}`, summary] as const
  })
  const parts: HelpPart[] = [
    ['Commands', rows],
    ['Options', commonRows],
  ]
  const about = [
    ...[description].flat(),
    `The help of a command: ${commandName} ${name} COMMAND --help`,
  ]
  return formatHelp({ usage: `mailyard ${name} <command>`, about, parts, example }, width)
}

function programHelp(width: number): string[] {
  const own = commands.filter(
    ({ words }) => !apiGroups().some(({ name }) => words.startsWith(`${name} `)),
  )
  const headings = Map.groupBy(apiGroups(), ({ heading }) => heading)
  const parts: HelpPart[] = [
    ['Run', own.map(({ words, summary }) => [words, summary])],
    ...[...headings].map(
      ([heading, groups]): HelpPart => [
        heading,
        groups.map(({ name, description }) => [name, description]),
      ],
    ),
    ['Options', [...commonRows, ['-V, --version', 'Shows the version.']]],
  ]
  const about = [
    'Sends every email through the right mail transport.',
    `Each of the groups has commands: ${commandName} transports --help`,
  ]
  return formatHelp(
    { usage: 'mailyard <command> [options]', about, parts, example: 'transports list' },
    width,
  )
}
