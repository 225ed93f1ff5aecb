import type { TObject } from 'typebox'
import { validationError } from '../validation.ts'
import type { ResourceShape } from './resource.ts'

/**
 * Reads `fields=id,name`: the members that each item of the answer keeps; undefined for all. Throws an AppError
 * (`invalid`) that lists the members where one is unknown.
 */
export function readFields(
  { fields }: Readonly<Record<string, unknown>>,
  { item }: Pick<ResourceShape, 'item'>,
): readonly string[] | undefined {
  if (fields === undefined) return undefined
  const known = Object.keys((item as TObject).properties)
  const names = typeof fields === 'string' ? fields.split(',').map((name) => name.trim()) : []
  const isUnknown = names.length === 0 || names.some((name) => !known.includes(name))
  if (isUnknown) throw validationError({ fields: [`must be a list of ${known.join(', ')}`] })
  return names
}

/** An item with these members alone. */
export function pickFields(item: object, fields: readonly string[]): object {
  return Object.fromEntries(Object.entries(item).filter(([name]) => fields.includes(name)))
}
