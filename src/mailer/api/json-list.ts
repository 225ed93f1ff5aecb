import { isObject } from './json.ts'

/** The objects of a member that should be a list of objects; anything else in it is left out. */
export function objectsOf(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

/** The texts of a member that should be a list of texts; anything else in it is left out. */
export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}
