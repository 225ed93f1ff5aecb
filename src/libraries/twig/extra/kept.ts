import type { Render } from '../runtime/render.ts'

/** Making a formatter of Intl or a parser takes some 100 microseconds. */
const makingSteps = 1_000

/** A thing that takes long to make, made once for the engine and kept under its key. */
export function kept<T>({ budget, settings }: Render, key: string, make: () => T): T {
  const known = settings.kept.get(key)
  if (known !== undefined) return known as T
  budget.spend(makingSteps)
  const made = make()
  settings.kept.set(key, made)
  return made
}
