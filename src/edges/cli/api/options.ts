import { type Argument, kebab, type Option } from '../command.ts'
import { bodyOf, isNested, type Operation, resolve, type Schema, typesOf } from './document.ts'
import { findReferenced } from './references.ts'

const dataOption: Option = {
  value: '<json>',
  description: 'The whole body. @file reads it from a file, - from standard input.',
}
const yesOption: Option = { description: 'Does not ask before something is deleted.' }

/** Returns the arguments of an operation: the parameters of its path. */
export function argsOf(operation: Operation): Argument[] {
  return (operation.parameters ?? [])
    .filter((parameter) => parameter.in === 'path')
    .map(({ name, description }) => {
      const advice = findReferenced(operation, name) ? ' Its name works too.' : ''
      return { name: kebab(name), description: description + advice }
    })
}

/** Returns the options of an operation: its parameters, and the members of its body. */
export function optionsOf(operation: Operation): Record<string, Option> {
  const parameters = (operation.parameters ?? [])
    .filter((parameter) => parameter.in !== 'path')
    .map(({ name, description, required: isRequired }): [string, Option] => {
      // Flags say first which value sets them.
      const [, first = '', rest] = /^`1`(?::| )? *(.)(.*)$/s.exec(description) ?? []
      const value = findReferenced(operation, name) ? idOrName : '<text>'
      return [
        name,
        rest === undefined
          ? { value, description, isRequired }
          : { description: first.toUpperCase() + rest },
      ]
    })
  const members = Object.entries(bodyOf(operation)?.schema.properties ?? {})
  return {
    ...Object.fromEntries(parameters),
    ...Object.fromEntries(
      members.map(([name, member]) => [name, memberOption(operation, name, resolve(member))]),
    ),
    ...(bodyOf(operation) === undefined ? {} : { data: dataOption }),
    ...(isDeletion(operation) ? { yes: yesOption } : {}),
  }
}

function memberOption(operation: Operation, name: string, schema: Schema): Option {
  const types = typesOf(schema)
  const isNeeded = bodyOf(operation)?.schema.required?.includes(name)
  const description = `${schema.description ?? ''}${isNeeded === true ? ' Required.' : ''}`.trim()
  if (types.includes('boolean')) return { description, isNegatable: true }
  const isList = types.includes('array') && !isNested(schema)
  const words = (isList ? resolve(schema.items ?? {}) : schema).enum?.filter(Boolean)
  const value = findReferenced(operation, name)
    ? isList
      ? '<ids or names>'
      : idOrName
    : (words?.join('|') ?? placeholderOf(schema, isList))
  return { description, value, isList }
}

const idOrName = '<id or name>'

function placeholderOf(schema: Schema, isList: boolean): string {
  if (isNested(schema)) return '<json>'
  if (isList) return '<list>'
  return typesOf(schema).includes('string') ? '<text>' : '<number>'
}

/** Whether a person is asked first. */
export const isDeletion = ({ method, operationId }: Operation) =>
  method === 'delete' || operationId.startsWith('delete')
