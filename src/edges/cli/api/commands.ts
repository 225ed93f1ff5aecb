import { type Command, kebab } from '../command.ts'
import { type ApiGroup, bodyOf, nameOf, type Operation, type Schema } from './document.ts'
import { argsOf, optionsOf } from './options.ts'

/** A command and the operations that it stands for: of several, the number of its arguments chooses one. */
export interface ApiCommand extends Command {
  name: string
  operations: readonly Operation[]
}

/** What most groups have. Their help begins with it. */
const common = ['list', 'get', 'create', 'edit', 'replace', 'delete', 'restore']

/** Returns the commands of a group, those that most groups have first. */
export function apiCommands(group: ApiGroup): ApiCommand[] {
  const byName = Map.groupBy(group.operations, (operation) => nameOf(operation, group))
  const names = common.filter((name) => byName.has(name))
  return [...new Set([...names, ...byName.keys()])].map((name) =>
    createCommand(name, byName.get(name) ?? [], group),
  )
}

function createCommand(
  name: string,
  operations: readonly Operation[],
  group: ApiGroup,
): ApiCommand {
  const [first, ...others] = operations.toSorted(
    (one, other) => argsOf(other).length - argsOf(one).length,
  )
  if (first === undefined) throw new Error(`No operation has the command ${name}.`)
  const fewest = argsOf(others.at(-1) ?? first).length
  const args = argsOf(first).map((arg, index) => ({ ...arg, isOptional: index >= fewest }))
  const options = Object.fromEntries(operations.flatMap((each) => Object.entries(optionsOf(each))))
  const words = `${group.name} ${name}`
  const { description } = others[0] ?? first
  return {
    name,
    words,
    operations,
    summary: operations.map(({ summary }) => summary).join('; '),
    ...(description === undefined ? {} : { description: withoutPermissions(description) }),
    args,
    options,
    example: `${words}${exampleOf(others[0] ?? first)}`,
    load: async () => {
      const { callApi } = await import('./call.ts')
      return (context, input) =>
        callApi(context, chooseOperation(operations, input.args.length), input)
    },
  }
}

/** The caller of commands has all permissions. */
const withoutPermissions = (description: string) =>
  description
    .split('\n\n')
    .filter((text) => !text.startsWith('Needs '))
    .join('\n\n')

function chooseOperation(operations: readonly Operation[], count: number): Operation {
  const [first] = operations
  const chosen = operations.find((each) => argsOf(each).length === count) ?? first
  if (chosen === undefined) throw new Error('A command has no operation.')
  return chosen
}

/** Writes the example of the document as what is typed after the command. */
function exampleOf(operation: Operation): string {
  const words = (operation.parameters ?? []).flatMap(
    ({ name, in: place, required, example, schema }) => {
      const value = String(example ?? schema.examples?.[0] ?? 1)
      if (place === 'path') return [quote(value)]
      return required ? [`--${kebab(name)}`, quote(value)] : []
    },
  )
  const body = bodyOf(operation)
  if (body?.otherType === 'text/csv') words.push('--data', '@file.csv')
  else if (body?.example !== undefined) words.push(...bodyExample(body.schema, body.example))
  return ['', ...words].join(' ')
}

function bodyExample({ properties }: Schema, example: unknown): string[] {
  if (typeof example === 'string') return ['--data', '@message.eml']
  if (properties === undefined) return ['--data', quote(JSON.stringify(example))]
  return Object.entries(example as object).flatMap(([name, value]) => {
    const flag = `--${kebab(name)}`
    if (value === null || (Array.isArray(value) && value.length === 0)) return []
    if (value === true) return [flag]
    if (value === false) return [`--no-${kebab(name)}`]
    if (Array.isArray(value) && value.every((each) => typeof each !== 'object'))
      return [flag, quote(value.join(','))]
    return [flag, quote(typeof value === 'string' ? value : JSON.stringify(value))]
  })
}

const quote = (text: string) =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
